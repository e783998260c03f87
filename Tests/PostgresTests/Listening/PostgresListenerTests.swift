// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import InMemoryLogging
import Logging
import Postgres
import PrivatePostgres
import TestSupport
import Testing

@Suite struct PostgresListenerTests {
    private func makeListener(
        _ url: String,
        channels: [String] = ["jobs"],
        probeInterval: Duration = .seconds(3600),
        probeTimeout: Duration = .seconds(60),
        logger: Logger = .test
    ) throws -> PostgresListener {
        var configuration = try PostgresConfiguration(url: url)
        configuration.connectTimeout = .seconds(60)
        return PostgresListener(
            configuration: configuration,
            channels: channels,
            probeInterval: probeInterval,
            probeTimeout: probeTimeout,
            patience: .milliseconds(100),
            logger: logger
        )
    }

    @Test func signalsOfItsChannelsArrive() async throws {
        try await withTestDatabase { url in
            let channels = ["jobs", "Kanal \"2\""]
            let listener = try makeListener(url, channels: channels)
            var iterator = listener.makeAsyncIterator()
            #expect(!listener.isListening)
            #expect(await iterator.next() == .reconnected)
            #expect(listener.isListening)

            try await PostgresConnection.withConnection(to: url) { sender in
                for channel in channels + ["other"] {
                    _ = try await sender.execute("select pg_notify($1, 'to ' || $1)", [.text(channel)])
                }
            }

            for channel in channels {
                #expect(
                    await iterator.next()
                        == .signal(PostgresSignal(channel: channel, payload: "to " + channel))
                )
            }
        }
    }

    @Test func terminatedListenerComesBackAndSaysSo() async throws {
        try await withTestDatabase { url in
            let listener = try makeListener(url)
            var iterator = listener.makeAsyncIterator()
            #expect(await iterator.next() == .reconnected)
            try await PostgresConnection.withConnection(to: url) { other in
                for round in 1...3 {
                    _ = try await other.execute(
                        """
                        select pg_terminate_backend(pid) from pg_stat_activity
                        where datname = current_database() and pid <> pg_backend_pid()
                        """
                    )

                    #expect(await iterator.next() == .reconnected)

                    _ = try await other.execute("select pg_notify('jobs', $1)", [.text(String(round))])
                    #expect(
                        await iterator.next()
                            == .signal(PostgresSignal(channel: "jobs", payload: String(round)))
                    )
                }
            }
        }
    }

    @Test(.timeLimit(.minutes(2)))
    func aListenerThatIsLetInLateComplainsOnceAndTellsWhenItListens() async throws {
        try await PasswordServer.withFreshOne { server in
            var log = InMemoryLogHandler()
            log.logLevel = .notice
            let listener = try makeListener(
                "postgresql://late:hunter3@127.0.0.1:\(server.port)/shop", logger: Logger(label: "test") { [log] _ in log })

            async let first = listener.first { _ in true }
            try await eventually("it complains") { !log.entries.isEmpty }
            // Time for a second complaint, if there were one.
            let refused = try server.refusals(of: "late")
            try await eventually("the server refuses it twice more") { try server.refusals(of: "late") >= refused + 2 }
            try await PostgresConnection.withConnection(to: server.url()) { admin in
                _ = try await admin.execute("create role late login password 'hunter3'")
            }
            #expect(await first == .reconnected)

            #expect(log.entries.map(\.level) == [.warning, .notice])
            #expect(!"\(log.entries)".contains("hunter3"))
        }
    }

    @Test func connectionThatDeliversNothingIsRemade() async throws {
        try await PasswordServer.with { server in
            let proxy = try DatabaseProxy(to: server.port)
            let listener = try makeListener(
                "postgresql://app:hunter2@127.0.0.1:\(proxy.port)/shop?connect_timeout=2",
                probeInterval: .milliseconds(50),
                probeTimeout: .milliseconds(500)
            )
            var iterator = listener.makeAsyncIterator()
            #expect(await iterator.next() == .reconnected)

            // From the next probe on this connection is silent, and the ones after it; then the network is back.
            proxy.behave(.silenceAnswer(to: "pg_notify"))
            let repaired = Task {
                try await eventually("the listener is silent") { !listener.isListening }
                proxy.behave(.forward)
            }

            #expect(await iterator.next() == .reconnected)
            try await repaired.value
            proxy.end()
        }
    }

    @Test func floodIsToldAsOneReconnection() async throws {
        try await withTestDatabase { url in
            let listener = try makeListener(url)
            var iterator = listener.makeAsyncIterator()
            #expect(await iterator.next() == .reconnected)
            let count = 5000

            try await PostgresConnection.withConnection(to: url) { sender in
                _ = try await sender.execute(
                    "select pg_notify('jobs', n::text) from generate_series(1, $1) n",
                    [.int4(Int32(count))]
                )
            }
            // The flood may take the first of these with it.
            let sending = Task {
                try await PostgresConnection.withConnection(to: url) { sender in
                    try await eventually("the last one came") {
                        _ = try await sender.execute("select pg_notify('jobs', 'last')")
                        return false
                    }
                }
            }

            var elements: [PostgresListener.Element] = []
            let last = PostgresListener.Element.signal(PostgresSignal(channel: "jobs", payload: "last"))
            while let element = await iterator.next(), element != last {
                elements.append(element)
            }
            sending.cancel()
            _ = await sending.result
            // All of them, or a hint that some are missing.
            #expect(elements.count == count || elements.contains(.reconnected))
        }
    }

    @Test func cancelledTaskEndsTheSequence() async throws {
        let url = try await TestServer.url()
        let listener = try makeListener(url)
        let (started, signal) = AsyncStream.makeStream(of: Void.self)
        let task = Task {
            var count = 0
            for await _ in listener {
                count += 1
                signal.yield()
            }
            return count
        }
        _ = await started.first { true }

        task.cancel()

        #expect(await task.value == 1)
        #expect(!listener.isListening)
    }

    @Test func listenerOfADatabaseThatIsAwayWaitsUntilItIsCancelled() async throws {
        let listener = try makeListener("host=127.0.0.1 port=1")
        let task = Task {
            var iterator = listener.makeAsyncIterator()
            return await iterator.next()
        }

        task.cancel()

        #expect(await task.value == nil)
    }
}

extension PrivatePostgresServer {
    /// How often the server's log says that it refused this role.
    fileprivate func refusals(of role: String) throws -> Int {
        try String(contentsOfFile: logFile, encoding: .utf8).split(separator: "\n")
            .count { $0.contains("FATAL") && $0.contains("\"\(role)\"") }
    }
}
