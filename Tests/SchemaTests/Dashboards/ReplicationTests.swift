// SPDX-License-Identifier: Apache-2.0

import Postgres
import PrivatePostgres
import TestSupport
import Testing

/// What `health` says of replication, on servers that replicate.
@Suite struct ReplicationTests {
    struct Line: Hashable {
        let level: String
        let finding: String
        let mend: String?
    }

    /// As the reader sees it.
    private static func line(of url: String) async throws -> Line {
        try await PostgresConnection.withConnection(to: url) { reader in
            let rows = try await reader.execute(
                "select level, finding, mend from counterfoil.health where subject = 'replication'")
            try #require(rows.count == 1)
            return Line(level: try rows[0].string(0), finding: try rows[0].string(1), mend: try rows[0].optionalString(2))
        }
    }

    /// Waits for the line that begins as it should: a server takes a moment to see who streams, and to read a setting.
    private static func line(_ servers: ReplicatedServers, beginning: String) async throws -> Line {
        let url = servers.primary.url(user: "counterfoil_reader")
        try await eventually("a line that begins \"\(beginning)\"") { try await line(of: url).finding.hasPrefix(beginning) }
        return try await line(of: url)
    }

    private static func set(_ setting: String, to value: String, _ servers: ReplicatedServers) async throws {
        try await PostgresConnection.withConnection(to: servers.primary.url()) { connection in
            _ = try await connection.execute("alter system set \(setting) = '\(value)'")
            _ = try await connection.execute("select pg_reload_conf()")
        }
    }

    private static func execute(_ sql: String, _ servers: ReplicatedServers) async throws {
        try await PostgresConnection.withConnection(to: servers.primary.url()) { _ = try await $0.execute(sql) }
    }

    @Test func aServerAloneIsWell() async throws {
        try await Shop.open { shop in
            let found = try await shop.read("select level, finding, mend from counterfoil.health where subject = 'replication'")

            #expect(
                found == [
                    "(ok,\"none: no standby streams, synchronous_standby_names is empty; what is acknowledged is on this server alone\",)"
                ])
        }
    }

    @Test(.timeLimit(.minutes(3)))
    func eachStateHasItsLine() async throws {
        try await ReplicatedServers.with { servers in
            let asynchronous = try await Self.line(servers, beginning: "asynchronous: 1 standby (db2 async), ")
            #expect(asynchronous.level == "warning")
            #expect(asynchronous.finding.hasSuffix(" behind; a failover may lose what was acknowledged just before it"))
            #expect(asynchronous.mend?.contains("synchronous_standby_names") == true)

            try await Self.set("synchronous_standby_names", to: "db2", servers)
            let synchronous = try await Self.line(
                servers, beginning: "synchronous: a commit waits for 1 of 1 standby (db2 sync), ")
            #expect(synchronous.level == "ok" && synchronous.mend == nil)
            #expect(synchronous.finding.hasSuffix("; no session waits for it"))

            // A standby that isn't there, and a commit that waits for it.
            try await Self.set("synchronous_standby_names", to: "nobody", servers)
            let nobody =
                "synchronous, and nothing can be settled: a commit waits for 1 standby "
                + "(synchronous_standby_names = nobody), and none confirms (db2 async); "
            _ = try await Self.line(servers, beginning: nobody + "no session waits for it")
            let commit = Task { try await Self.execute("insert into counterfoil.apps (bundle_id) values ('a')", servers) }
            let missing = try await Self.line(servers, beginning: nobody + "1 session waits for it, for 00:0")
            #expect(missing.level == "critical")
            #expect(missing.mend == "start that standby (FAILOVER.md, \"No standby confirms\")")
            try await Self.set("synchronous_standby_names", to: "db2", servers)
            try await commit.value

            // Two are needed, and one is there.
            try await Self.set("synchronous_standby_names", to: "ANY 2 (db2, db3)", servers)
            let one = try await Self.line(
                servers, beginning: "synchronous, and nothing can be settled: a commit waits for 2 standbys ")
            #expect(one.finding.contains("and only 1 of them (db2 quorum); no session waits"))
            #expect(one.level == "critical")

            // Nobody streams, and nothing names one; a slot remembers one that is gone.
            try await Self.set("synchronous_standby_names", to: "", servers)
            try await servers.standby.stop()
            _ = try await Self.line(servers, beginning: "none: no standby streams")
            try await Self.execute("select pg_create_physical_replication_slot('db2', true)", servers)
            let slot = try await Self.line(servers, beginning: "none: no standby streams")
            #expect(slot.level == "warning")
            #expect(slot.finding.contains("alone; inactive slots keep this server's log: db2 ("))
            #expect(slot.mend?.contains("pg_drop_replication_slot(NAME)") == true)
        }
    }

    /// It streams, and a commit waits for what it doesn't do.
    @Test(.timeLimit(.minutes(3)))
    func aStandbyThatDoesNotAnswerIsCriticalAfterFiveSeconds() async throws {
        try await ReplicatedServers.with { servers in
            try await Self.set("synchronous_standby_names", to: "db2", servers)
            _ = try await Self.line(servers, beginning: "synchronous: a commit waits for 1 of 1 standby (db2 sync), ")
            try await PostgresConnection.withConnection(to: servers.standby.url()) { standby in
                _ = try await standby.execute("select pg_wal_replay_pause()")
                try await PostgresConnection.withConnection(to: servers.primary.url()) { writer in
                    _ = try await writer.execute("set synchronous_commit = remote_apply")
                    async let commit = writer.execute(
                        "insert into counterfoil.apps (bundle_id) values ('a')", timeout: .seconds(60))
                    let reader = servers.primary.url(user: "counterfoil_reader")
                    try await eventually("a session waits") {
                        try await Self.line(of: reader).finding.contains("1 session waits")
                    }
                    let before = try await Self.line(of: reader)
                    try await eventually("it has waited") {
                        try await Self.line(of: reader).finding.contains("a commit has waited")
                    }
                    let after = try await Self.line(of: reader)
                    _ = try await standby.execute("select pg_wal_replay_resume()")
                    _ = try await commit

                    #expect(before.level == "ok", "\(before)")
                    #expect(after.level == "critical", "\(after)")
                    #expect(after.finding.contains("; a commit has waited for 00:00:0"))
                }
            }
        }
    }

    @Test(.timeLimit(.minutes(3)))
    func whatMakesSynchronousReplicationUselessIsTold() async throws {
        try await ReplicatedServers.with { servers in
            try await Self.set("synchronous_standby_names", to: "*", servers)
            _ = try await Self.line(servers, beginning: "synchronous: a commit waits for 1 of 1 standby (db2 sync), ")
            try await Self.execute("alter role counterfoil_worker set synchronous_commit = local", servers)

            let lax = try await Self.line(servers, beginning: "synchronous: ")

            #expect(lax.level == "warning")
            #expect(lax.finding.hasSuffix("where synchronous_commit is lower than on: role counterfoil_worker = local"))
        }
    }

    /// Where no superuser granted it, the view has less to say, and says so.
    @Test(.timeLimit(.minutes(3)))
    func withoutPgMonitorItSaysWhatIsHidden() async throws {
        try await ReplicatedServers.with { servers in
            _ = try await Self.line(servers, beginning: "asynchronous: 1 standby (db2 async), ")
            try await Self.execute("revoke pg_monitor from counterfoil_owner", servers)
            let asynchronous = try await Self.line(servers, beginning: "asynchronous")
            try await Self.set("synchronous_standby_names", to: "nobody", servers)
            let synchronous = try await Self.line(servers, beginning: "synchronous")

            #expect(asynchronous.finding == "asynchronous; 1 standby connected, and whether they confirm is hidden")
            #expect(
                synchronous.finding
                    == "synchronous_standby_names = nobody; 1 standby connected, and whether they confirm is hidden")
            #expect(synchronous.level == "warning")
            #expect(synchronous.mend == "as a superuser: grant pg_monitor to counterfoil_owner")
        }
    }

    @Test(.timeLimit(.minutes(3)))
    func aStandbySaysThatItIsOne() async throws {
        try await ReplicatedServers.with { servers in
            let url = servers.standby.url(user: "counterfoil_reader")
            let streaming = Line(level: "ok", finding: "this server is a standby, and streams", mend: nil)
            try await eventually("it streams") { try await Self.line(of: url) == streaming }
            try await servers.primary.stop()
            try await eventually("nobody sends") { try await Self.line(of: url) != streaming }

            let alone = try await Self.line(of: url)

            #expect(alone.level == "warning")
            #expect(alone.finding == "this server is a standby, and streams from nobody")
        }
    }
}
