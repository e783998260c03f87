// SPDX-License-Identifier: Apache-2.0

import AppStoreSimulator
import AsyncHTTPClient
import NIOCore
import NIOHTTP1
import NIOSSL
import Testing

@Suite struct AppStoreSimulatorTests {
    private static let sandboxReceipt = SimulatedReceipt(
        environment: .sandbox, transactions: [SimulatedTransaction(productId: "coins", environment: .sandbox)])
    private static let productionReceipt = SimulatedReceipt(transactions: [SimulatedTransaction(productId: "coins")])

    // MARK: Hosts and certificates

    @Test(arguments: [
        ("buy.itunes.apple.com", "Production"), ("sandbox.itunes.apple.com", "Sandbox"),
        ("api.storekit.apple.com", "Production"), ("api.storekit-sandbox.apple.com", "Sandbox"),
    ])
    func hostDecidesTheEnvironmentOnEitherPort(_ host: String, _ environment: String) async throws {
        try await withSimulator(client: .init(localNames: [host])) { simulator, client in
            let receipt = try (environment == "Sandbox" ? Self.sandboxReceipt : Self.productionReceipt).base64

            for port in [simulator.productionPort, simulator.sandboxPort] {
                let reply = try await client.call(
                    .POST, "https://\(host):\(port)/verifyReceipt", body: SimulatorClient.body(receipt))
                #expect(try reply.decoded(as: VerifyReceiptReply.self).environment == environment)
            }
        }
    }

    @Test(arguments: ["localhost", "127.0.0.1"])
    func portDecidesTheEnvironmentOfOtherHosts(_ host: String) async throws {
        try await withSimulator { simulator, client in
            let body = SimulatorClient.body(try Self.sandboxReceipt.base64)

            let production = try await client.call(
                .POST, "https://\(host):\(simulator.productionPort)/verifyReceipt", body: body)
            let sandbox = try await client.call(
                .POST, "https://\(host):\(simulator.sandboxPort)/verifyReceipt", body: body)

            #expect(try production.decoded(as: VerifyReceiptReply.self).status == 21007)
            #expect(try sandbox.decoded(as: VerifyReceiptReply.self).status == 0)
        }
    }

    @Test func clientWithoutTheAuthorityRefusesTheCertificate() async throws {
        try await withSimulator(client: .init(trust: .systemOnly)) { simulator, client in
            await #expect(throws: (any Error).self) { try await client.call("/verifyReceipt") }

            #expect(simulator.statistics.calls(to: .verifyReceipt) == 0)
        }
    }

    @Test func foreignCertificateIsRefusedByAClientThatTrustsTheAuthority() async throws {
        try await withSimulator { simulator, client in
            await #expect(throws: (any Error).self) {
                try await client.call(.POST, "https://localhost:\(simulator.foreignCertificatePort)/verifyReceipt")
            }
            let good = try await client.call("/verifyReceipt")

            #expect(good.code == 200)
            #expect(simulator.statistics.calls(to: .verifyReceipt) == 1)
        }
    }

    @Test func foreignCertificateIsTheOnlyThingWrongWithItsPort() async throws {
        try await withSimulator(client: .init(trust: .anyCertificate)) { simulator, client in
            let reply = try await client.call(
                .POST, "https://localhost:\(simulator.foreignCertificatePort)/verifyReceipt",
                body: SimulatorClient.body(try Self.productionReceipt.base64))

            #expect(try reply.decoded(as: VerifyReceiptReply.self).status == 0)
        }
    }

    @Test func http2IsSpokenWhenOffered() async throws {
        var configuration = SimulatorConfiguration()
        configuration.offersHTTP2 = true
        try await withSimulator(configuration: configuration, client: .init(speaksHTTP2: true)) {
            simulator, client in
            var request = HTTPClientRequest(url: "https://localhost:\(simulator.productionPort)/verifyReceipt")
            request.method = .POST
            request.body = .bytes(ByteBuffer(string: SimulatorClient.body(try Self.productionReceipt.base64)))

            let response = try await client.http.execute(request, timeout: .seconds(30))

            #expect(response.version == .http2)
            let body = try await response.body.collect(upTo: 1 << 20)
            #expect(String(buffer: body).hasPrefix(#"{"status":0"#))
        }
    }

    @Test func resetOverHTTP2EndsOneStreamOnly() async throws {
        var configuration = SimulatorConfiguration()
        configuration.offersHTTP2 = true
        try await withSimulator(configuration: configuration, client: .init(speaksHTTP2: true)) {
            simulator, client in
            simulator.setFaults(FaultPlan(nextCalls: [nil, .reset, .disconnect]), for: .verifyReceipt)
            let receipt = try Self.productionReceipt.base64

            #expect(try await client.verify(receipt).status == 0)
            await #expect(throws: (any Error).self) { try await client.verify(receipt) }
            await #expect(throws: (any Error).self) { try await client.verify(receipt) }
            #expect(try await client.verify(receipt).status == 0)
        }
    }

    // MARK: Counting

    @Test func callsAreCountedByEnvironmentAndStatus() async throws {
        try await withSimulator { simulator, client in
            let receipt = try Self.sandboxReceipt.base64
            _ = try await client.verify(receipt, in: .production)
            _ = try await client.verify(receipt, in: .sandbox)
            _ = try await client.verify(receipt, in: .sandbox)

            let statistics = simulator.statistics

            #expect(statistics.calls(to: .verifyReceipt) == 3)
            #expect(statistics.calls(to: .verifyReceipt, in: .production) == 1)
            #expect(statistics.calls(to: .verifyReceipt, in: .production, status: 21007) == 1)
            #expect(statistics.calls(to: .verifyReceipt, in: .sandbox, status: 0) == 2)
            #expect(statistics.calls(about: Self.sandboxReceipt.id) == 3)
            #expect(statistics.calls(aboutTransaction: Self.sandboxReceipt.transactions[0].transactionId) == 3)
            #expect(statistics.calls(about: Self.productionReceipt.id) == 0)
        }
    }

    @Test func requestAboveTheLimitIsTooLarge() async throws {
        var configuration = SimulatorConfiguration()
        configuration.maximumRequestSize = 1000
        try await withSimulator(configuration: configuration) { _, client in
            let large = String(repeating: " ", count: 1001)

            let refused = try await client.call("/verifyReceipt", body: large)
            let taken = try await client.call("/verifyReceipt", body: "{}")

            #expect(refused.code == 413)
            #expect(taken.code == 200)
        }
    }

    @Test func hundredsOfCallsAreInFlightAtOnce() async throws {
        let count = 300
        try await withSimulator(client: .init(connections: count)) {
            simulator, client in
            // None is answered before the last has come.
            simulator.setFaults(.always(.stall), for: .verifyReceipt)
            let receipt = try Self.productionReceipt.base64

            await withTaskGroup(of: Void.self) { group in
                for _ in 0..<count { group.addTask { _ = try? await client.verify(receipt) } }
                _ = try? await simulator.statistics {
                    $0.calls(to: .verifyReceipt, in: .production, as: .unanswered) == count
                }
                group.cancelAll()
            }

            _ = try await simulator.statistics { $0.inFlight == 0 }
            #expect(simulator.statistics.inFlightMaximum == count)
            #expect(simulator.statistics.calls(about: Self.productionReceipt.id) == count)
        }
    }

    // MARK: Life

    @Test func waitingForAStartThatNeverComesCanBeCancelled() async throws {
        let simulator = try AppStoreSimulator()

        await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await simulator.started() }
            group.cancelAll()
            let result = await group.nextResult()
            #expect(throws: CancellationError.self) { try #require(result).get() }
        }
    }

    @Test func portInUseEndsTheRunAndTheWait() async throws {
        try await withSimulator { simulator, _ in
            var configuration = SimulatorConfiguration()
            configuration.productionPort = simulator.productionPort
            let second = try AppStoreSimulator(configuration: configuration)

            await #expect(throws: (any Error).self) { try await second.run() }
            await #expect(throws: CancellationError.self) { try await second.started() }
        }
    }

    @Test func runEndsWhenItsTaskIsCancelled() async throws {
        let simulator = try AppStoreSimulator()

        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await simulator.run() }
            try await simulator.started()
            group.cancelAll()
            _ = await group.nextResult()
        }

        #expect(simulator.productionPort > 0)
    }

    @Test func simulatorsShareAnAuthorityWhenAsked() throws {
        let first = try AppStoreSimulator()
        let second = try AppStoreSimulator(authority: first.authority)

        #expect(first.authority.rootCertificateSHA256 == second.authority.rootCertificateSHA256)
        #expect(first.tlsCertificateAuthorityPEM != second.tlsCertificateAuthorityPEM)
    }
}
