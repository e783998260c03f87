// SPDX-License-Identifier: Apache-2.0

import Postgres
import TestSupport
import Testing

@Suite struct MigratedDatabaseTests {
    @Test func copiesCarryTheSettingsOfTheRoles() async throws {
        try await withMigratedDatabase { database in
            let settings = try await database.withConnection(as: "counterfoil_worker") { connection in
                try await connection.execute(
                    """
                    select current_setting('statement_timeout'), current_setting('lock_timeout'),
                        current_setting('plan_cache_mode'), current_setting('jit')
                    """
                )
            }

            #expect(try settings[0].string(0) == "30s")
            #expect(try settings[0].string(1) == "5s")
            #expect(try settings[0].string(2) == "force_generic_plan")
            #expect(try settings[0].string(3) == "off")
        }
    }

    /// The boards are long statements over few rows.
    @Test(arguments: ["counterfoil_support", "counterfoil_reader"])
    func boardsAreNotCompiled(_ role: String) async throws {
        try await withMigratedDatabase { database in
            let jit = try await database.withConnection(as: role) { try await $0.execute("select current_setting('jit')") }

            #expect(try jit[0].string(0) == "off")
        }
    }

    @Test(arguments: ["counterfoil_backend", "counterfoil_worker", "counterfoil_reader"])
    func connectsAsARole(_ role: String) async throws {
        try await withMigratedDatabase { database in
            let user = try await database.withConnection(as: role) { connection in
                try await connection.execute("select current_user::text")
            }

            #expect(try user[0].string(0) == role)
        }
    }
}
