// SPDX-License-Identifier: Apache-2.0

import EventSources
import FoundationEssentials
import Logging
import Postgres
import PrivatePostgres
import TestSupport
import Testing

@testable import Rehearsal

/// The watch sees when a database commits nothing or ends sessions. Such a time explains a long wait.
@Suite struct DisturbanceWatchTests {
    /// The server answers whoever reads, and no commit becomes visible.
    @Test(.timeLimit(.minutes(3)))
    func aCommitThatWaitsForItsStandbyIsATimeWithoutADatabase() async throws {
        try await ReplicatedServers.with { servers in
            let url = servers.primary.url()
            let pool = PostgresPool(configuration: try PostgresConfiguration(url: url), size: 2, logger: .test)
            try await endingLast(pool.close) {
                let watch = DisturbanceWatch(pool)
                let watching = Task { await watch.run() }
                defer { watching.cancel() }
                try await Task.sleep(for: .seconds(1))
                try #require(watch.disturbances.isEmpty)

                try await Self.set("synchronous_standby_names = 'nobody'", url)
                async let written: Void = PostgresConnection.withConnection(to: url) {
                    _ = try await $0.execute("create table public.written (id integer)")
                }
                try await eventually("the commit waits") { !watch.disturbances.isEmpty }
                try await Self.set("synchronous_standby_names = ''", url)
                try await written
                let answered = Date()

                // A disturbance that lasts has the present time as its end.
                try await eventually("the watch sees commits again") {
                    watch.disturbances.contains { $0.during.upperBound < Date() - 1 }
                }
                let found = watch.disturbances
                #expect(found.map(\.cause) == [.databaseAway])
                #expect(found.allSatisfy { $0.during.upperBound < answered + 5 })
            }
        }
    }

    /// Whoever waits for a settlement that was under way waits for its lease; others notice nothing.
    @Test func aServerThatEndsSessionsIsATimeWithoutADatabase() async throws {
        try await withMigratedDatabase { database in
            let pool = PostgresPool(configuration: try PostgresConfiguration(url: database.url()), size: 1, logger: .test)
            try await endingLast(pool.close) {
                let watch = DisturbanceWatch(pool)
                let watching = Task { await watch.run() }
                defer { watching.cancel() }

                try await eventually("the watch notices a session that is ended") {
                    _ = try? await database.withConnection { try await $0.execute("select pg_terminate_backend(pg_backend_pid())") }
                    return watch.disturbances.map(\.cause).contains(.databaseAway)
                }
            }
        }
    }

    private static func set(_ setting: String, _ url: String) async throws {
        try await PostgresConnection.withConnection(to: url) { connection in
            _ = try await connection.execute("alter system set \(setting)")
            _ = try await connection.execute("select pg_reload_conf()")
        }
    }
}
