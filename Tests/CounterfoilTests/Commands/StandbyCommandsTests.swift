// SPDX-License-Identifier: Apache-2.0

import Postgres
import PrivatePostgres
import TestSupport
import Testing

/// The commands on a hot standby: those that look work there, all others say why they don't.
@Suite struct StandbyCommandsTests {
    /// - Returns: the id of the job.
    @discardableResult
    private static func seed(_ servers: ReplicatedServers) async throws -> String {
        let job = try await PostgresConnection.withConnection(to: servers.primary.url()) { connection in
            try await connection.executeScript(
                """
                insert into counterfoil.apps (bundle_id) values ('\(Shop.bundle)');
                insert into counterfoil.orders (order_id, bundle_id, product_id, account_id)
                values ('a', '\(Shop.bundle)', '\(Shop.product)', 'ann');
                insert into counterfoil.jobs (order_id, proof) values ('a', 'eyJ')
                """)
            return try await connection.execute("select id::text from counterfoil.jobs")[0].string(0)
        }
        try await servers.catchUp()
        return job
    }

    private static func environment(_ servers: ReplicatedServers, _ role: String = "counterfoil_support") -> [String: String] {
        ["COUNTERFOIL_DATABASE_URL": servers.standby.url(user: role)]
    }

    @Test(.timeLimit(.minutes(3)))
    func whatLooksWorksAndWhatWritesSaysWhyNot() async throws {
        try await ReplicatedServers.with { servers in
            let job = try await Self.seed(servers)

            for (arguments, text) in [
                (["check"], "checks passed"), (["dashboard", "--once"], "jobs"), (["orders", "list"], "a"),
                (["orders", "show", "a"], "ann"), (["jobs", "list"], "a"), (["jobs", "show", job], "a"),
                (["apps", "list"], "listed"), (["gates", "list"], "local"), (["notifications", "list"], "no notifications"),
            ] {
                let ended = try await Program.run(arguments, environment: Self.environment(servers))
                #expect(ended.status.isSuccess, "\(arguments): \(ended.errors)")
                #expect(ended.output.contains(text), "\(arguments): \(ended.output)")
            }

            let submit = ["submit", "--order", "c", "--bundle", Shop.bundle, "--product", Shop.product, "--account", "ann"]
            for (arguments, text) in [
                (submit, "cannot execute INSERT in a read-only transaction"),
                (["gates", "close", "1", "--why", "test"], "in a read-only transaction"),
                (["jobs", "retry", job, "--why", "test"], "in a read-only transaction"),
                (["changes", "--from", "2026-01-01T00:00:00Z"], "changes are read from the primary"),
                (["migrate"], "in a read-only transaction"),
            ] {
                let role = arguments == ["migrate"] ? "postgres" : "counterfoil_support"
                let ended = try await Program.run(arguments, environment: Self.environment(servers, role), input: "eyJ")
                #expect(!ended.status.isSuccess, "\(arguments)")
                #expect(ended.errors.contains(text), "\(arguments): \(ended.errors)")
            }
        }
    }

    @Test(.timeLimit(.minutes(3)))
    func doctorSaysWhatReplicationIsOnBothServers() async throws {
        try await ReplicatedServers.with { servers in
            try await Self.seed(servers)
            func lines(_ url: String) async throws -> [Substring] {
                try await Program.run(["doctor"], environment: ["COUNTERFOIL_DATABASE_URL": url]).output.split(separator: "\n")
            }

            let primary = try await lines(servers.primary.url(user: "counterfoil_worker"))
            let standby = try await lines(servers.standby.url(user: "counterfoil_worker"))

            let told = primary.filter { $0.contains("replication: ") }
            #expect(told.count == 1)
            #expect(told.allSatisfy { $0.hasPrefix("warning  replication: asynchronous: 1 standby (db2 async), ") }, "\(told)")
            #expect(standby.contains("ok       replication: this server is a standby, and streams"), "\(standby)")
            #expect(standby.contains { $0.hasPrefix("wrong    primary: this server is a replica and takes no writes") })
        }
    }

    @Test(.timeLimit(.minutes(3)))
    func aWorkerWaitsForAPrimary() async throws {
        try await ReplicatedServers.with { servers in
            try await Self.seed(servers)

            let ended = try await Program.whileRunning(
                ["worker"], environment: Self.environment(servers, "counterfoil_worker")
            ) { running in
                try await running.log.line(containing: "waiting for the database", count: 2)
            }

            #expect(ended.errors.contains("25006"), "\(ended.errors)")
        }
    }
}
