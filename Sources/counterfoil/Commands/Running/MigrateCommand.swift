// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Logging
import VerificationQueue

struct MigrateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "migrate",
        abstract: "Brings the database's schema up to this program's.",
        discussion: """
            Applies the migrations that are missing, each in a database transaction of its own, and replaces functions \
            and views. Safe to repeat, to interrupt, and to run twice at once; workers may run meanwhile. Needs a role \
            that may create roles and schemas. Goes around a pooler by \(Variable.listenURL) where that is set.
            """
    )

    func run() async throws {
        // Also what it waits for.
        let assembly = try Assembly(logLevel: .notice)
        // A migration may wait for another migrator, and rewrite large tables.
        let applied = try await assembly.withConnection(direct: true, timeout: .seconds(24 * 3600)) { connection in
            try await SchemaMigrator(logger: assembly.logger).migrate(connection)
        }
        for name in applied {
            print("applied \(name)")
        }
        print(applied.isEmpty ? "the schema is up to date" : "the schema is up to date now")
    }
}
