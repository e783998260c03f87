// SPDX-License-Identifier: Apache-2.0

import Postgres
import TestSupport
import Testing

/// What a shop's database across a network is asked through.
@Suite struct PostgresTLSTests {
    /// Records of TLS don't end where libpq's messages do: what it has decrypted already must not wait for the socket.
    @Test func largeAnswersAndStatementsThatGoOutTogetherPass() async throws {
        try await TLSServer.with { url in
            try await PostgresConnection.withConnection(to: url("localhost", nil)) { connection in
                let numbers = Array(Int64(1)...100_000)
                let echo = PostgresStatement(
                    name: "echo", sql: "select n, repeat('x', 50) from unnest($1::int8[]) as n", isPrepared: true)

                for _ in 0..<2 {
                    let answer = try await connection.withTransaction { connection in
                        try await connection.enqueue(echo, [.int8Array(numbers)])
                        try await connection.enqueue(echo, [.int8Array(numbers)])
                        return try await connection.execute(echo, [.int8Array(numbers)])
                    }

                    #expect(try answer.map { try $0.int64(0) } == numbers)
                }
                let isEncrypted = try await connection.execute(
                    "select ssl from pg_stat_ssl where pid = pg_backend_pid()")[0].bool(0)
                #expect(isEncrypted)
            }
        }
    }

    @Test func aDeadlineStopsAStatementAndKeepsTheConnection() async throws {
        try await TLSServer.with { url in
            try await PostgresConnection.withConnection(to: url("localhost", nil)) { connection in
                let error = await #expect(throws: PostgresError.self) {
                    try await connection.execute("select pg_sleep(3600)", timeout: .milliseconds(50))
                }

                #expect(error?.kind == .timedOut)
                let answer = try await connection.execute("select 1")[0].int32(0)
                #expect(answer == 1)
            }
        }
    }

    @Test func whatAListenerWaitsForArrives() async throws {
        try await TLSServer.with { url in
            var configuration = try PostgresConfiguration(url: url("localhost", nil))
            configuration.connectTimeout = .seconds(60)
            let listener = PostgresListener(configuration: configuration, channels: ["jobs"], logger: .test)
            var iterator = listener.makeAsyncIterator()
            #expect(await iterator.next() == .reconnected)
            try await PostgresConnection.withConnection(to: url("localhost", nil)) { connection in
                _ = try await connection.execute("notify jobs, 'one'")
            }

            #expect(await iterator.next() == .signal(PostgresSignal(channel: "jobs", payload: "one")))
        }
    }

    @Test func aServerWhoseCertificateNobodyTrustsIsRefused() async throws {
        try await TLSServer.with { url in
            try await TLSServer.withForeignRoots { roots in
                let error = await #expect(throws: PostgresError.self) {
                    try await PostgresConnection.withConnection(to: url("localhost", roots)) { _ in }
                }

                #expect(error?.message.contains("certificate verify failed") == true, "\(error?.message ?? "")")
            }
        }
    }

    /// The address is looked up by us; the name that the certificate must bear is still the one that was configured.
    @Test func aServerUnderANameThatItsCertificateLacksIsRefused() async throws {
        try await TLSServer.with { url in
            let error = await #expect(throws: PostgresError.self) {
                try await PostgresConnection.withConnection(to: url("127.0.0.1", nil)) { _ in }
            }

            #expect(error?.message.contains("does not match host name") == true, "\(error?.message ?? "")")
        }
    }
}
