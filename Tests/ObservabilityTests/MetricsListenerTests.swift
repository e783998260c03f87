// SPDX-License-Identifier: Apache-2.0

import AsyncHTTPClient
import Logging
import NIOCore
import NIOHTTP1
import Observability
import ServiceLifecycle
import Synchronization
import TestSupport
import Testing

@Suite struct MetricsListenerTests {
    /// Keeps the address that the listener says it has.
    private struct AddressHandler: LogHandler {
        let found: AsyncStream<String>.Continuation
        var metadata: Logger.Metadata = [:]
        var logLevel = Logger.Level.info

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            if let address = event.metadata?["address"] {
                found.yield("\(address)")
            }
        }
    }

    /// Listens on a port of the system's choice while `body` lasts.
    private static func listening(
        isGood: Bool = true, _ body: @escaping @Sendable (_ base: String) async throws -> Void
    ) async throws {
        let (addresses, continuation) = AsyncStream<String>.makeStream()
        let logger = Logger(label: "test") { _ in AddressHandler(found: continuation) }
        let health = MetricsListener.Health(isGood: isGood, why: "because")
        let listener = MetricsListener(
            address: try #require(MetricsAddress("127.0.0.1:0")), logger: logger, metrics: { "shop_depth 1\n" },
            liveness: { health }, readiness: { health })
        let group = ServiceGroup(configuration: .init(services: [listener], logger: .test))
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            tasks.addTask { try await group.run() }
            for await address in addresses {
                try await body("http://\(address)")
                break
            }
            await group.triggerGracefulShutdown()
            try await tasks.waitForAll()
        }
    }

    private static func get(_ url: String) async throws -> (status: UInt, type: String?, body: String) {
        let response = try await HTTPClient.shared.execute(HTTPClientRequest(url: url), timeout: .seconds(20))
        let body = try await response.body.collect(upTo: 1 << 20)
        return (response.status.code, response.headers.first(name: "content-type"), String(buffer: body))
    }

    @Test(.timeLimit(.minutes(1)))
    func metricsComeInPrometheussFormat() async throws {
        try await Self.listening { base in
            let answer = try await Self.get(base + "/metrics")

            #expect(answer.status == 200)
            #expect(answer.type == "text/plain; version=0.0.4; charset=utf-8")
            #expect(answer.body == "shop_depth 1\n")
        }
    }

    @Test(.timeLimit(.minutes(1)), arguments: [(true, 200), (false, 503)] as [(Bool, UInt)])
    func healthIsAStatusAndALineThatSaysWhy(isGood: Bool, status: UInt) async throws {
        try await Self.listening(isGood: isGood) { base in
            for path in ["/healthz", "/readyz"] {
                let answer = try await Self.get(base + path)

                #expect(answer.status == status)
                #expect(answer.body == "because\n")
            }
        }
    }

    @Test(.timeLimit(.minutes(1)))
    func nothingElseIsThere() async throws {
        try await Self.listening { base in
            let answer = try await Self.get(base + "/")

            #expect(answer.status == 404)
        }
    }

    @Test(.timeLimit(.minutes(1)))
    func anAddressThatIsTakenIsNamed() async throws {
        try await Self.listening { base in
            let address = try #require(MetricsAddress(String(base.dropFirst("http://".count))))
            let health = MetricsListener.Health(isGood: true, why: "")
            let second = MetricsListener(
                address: address, logger: .test, metrics: { "" }, liveness: { health }, readiness: { health })

            let error = await #expect(throws: MetricsListener.CannotListen.self) {
                try await ServiceGroup(configuration: .init(services: [second], logger: .test)).run()
            }

            #expect(error?.description == "can't listen on \(address): Address already in use")
        }
    }
}
