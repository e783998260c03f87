// SPDX-License-Identifier: Apache-2.0

import AppStoreSimulator
import FoundationEssentials
import NIOHTTP1
import TestSupport
import Testing

/// Get Transaction Info of the simulator, as a stranger sees it.
@Suite struct TransactionInfoTests {
    private struct Info: Decodable {
        var signedTransactionInfo: String
    }

    private struct Payload: Decodable {
        var transactionId: String
        var signedDate: Double
        var revocationDate: Double?
        var revocationReason: Int?
        var revocationType: String?
        var revocationPercentage: Int?
    }

    @Test func transactionIsSignedAnewEachTime() async throws {
        let time = ManualTime(Date(timeIntervalSince1970: 1_769_850_000))
        var configuration = SimulatorConfiguration()
        configuration.now = { time.now }
        try await withSimulator(configuration: configuration) { simulator, client in
            let bought = SimulatedTransaction(productId: "coins", purchaseDate: time.now.addingTimeInterval(-600))
            simulator.remember([bought])

            for _ in 0..<2 {
                time.set(time.now.addingTimeInterval(10))
                let token = try TokenDraft(simulator.apiKey(), at: time.now).signed()
                let info: Info = try await client.call(
                    "/inApps/v1/transactions/\(bought.transactionId)", method: .GET, token: token
                ).decoded()

                let inspection = try await TokenInspection(
                    info.signedTransactionInfo, authority: simulator.authority, signedAt: time.now)
                let payload = try Self.payload(of: info)
                #expect(inspection.findings == [])
                #expect(payload.transactionId == bought.transactionId)
                #expect(payload.signedDate == time.now.timeIntervalSince1970 * 1000)
            }
        }
    }

    @Test func refundIsMadeAndUndoneAsProgrammed() async throws {
        try await withSimulator { simulator, client in
            let bought = SimulatedTransaction(productId: "coins")
            simulator.remember([bought])
            var program = TransactionProgram()
            program.refund = ReceiptProgram.Refund(at: .call(2), reason: 1)
            program.reversal = .call(3)
            simulator.setProgram(program, forTransaction: bought.transactionId)
            let token = try TokenDraft.right(for: simulator)

            var payloads: [Payload] = []
            for _ in 0..<3 {
                payloads.append(
                    try Self.payload(
                        of: try await client.call(
                            "/inApps/v1/transactions/\(bought.transactionId)", method: .GET, token: token
                        ).decoded()))
            }

            #expect(payloads.map { $0.revocationDate != nil } == [false, true, false])
            #expect(payloads.map(\.revocationReason) == [nil, 1, nil])
            #expect(payloads.map(\.revocationType) == [nil, "REFUND_FULL", nil])
            #expect(payloads.map(\.revocationPercentage) == [nil, 100_000, nil])
        }
    }

    @Test func callsAreCountedAboutTheTransaction() async throws {
        try await withSimulator { simulator, client in
            _ = try await client.call("/inApps/v1/transactions/42", method: .GET, token: "x")

            #expect(simulator.statistics.calls(aboutTransaction: "42") == 1)
            #expect(
                simulator.statistics.calls(
                    to: .getTransactionInfo, in: .production, as: .answered(http: 401, status: nil))
                    == 1)
        }
    }

    @Test(arguments: ["x", "1.2", "123456789012345678901", "%31"])
    func idOfAnotherFormIs4000006(id: String) async throws {
        try await withSimulator { simulator, client in
            let reply = try await client.call(
                "/inApps/v1/transactions/\(id)", method: .GET, token: try TokenDraft.right(for: simulator))

            #expect(reply.code == 400)
            #expect(try reply.decoded(as: APIErrorReply.self).errorCode == 4_000_006)
        }
    }

    @Test func idOfACustomerIs4000048() async throws {
        try await withSimulator { simulator, client in
            let bought = SimulatedTransaction(productId: "coins")
            simulator.remember([bought])

            let reply = try await client.call(
                "/inApps/v1/transactions/\(try #require(bought.appTransactionId))", method: .GET,
                token: try TokenDraft.right(for: simulator))

            #expect(reply.code == 400)
            #expect(try reply.decoded(as: APIErrorReply.self).errorCode == 4_000_048)
        }
    }

    @Test func errorIsAnsweredAsProgrammed() async throws {
        try await withSimulator { simulator, client in
            let bought = SimulatedTransaction(productId: "coins")
            simulator.remember([bought])
            var program = TransactionProgram()
            program.errorCode = 4_040_002
            simulator.setProgram(program, forTransaction: bought.transactionId)

            let reply = try await client.call(
                "/inApps/v1/transactions/\(bought.transactionId)", method: .GET,
                token: try TokenDraft.right(for: simulator))

            #expect(reply.code == 404)
            #expect(try reply.decoded(as: APIErrorReply.self).errorCode == 4_040_002)
        }
    }

    @Test(arguments: [
        (HTTPMethod.POST, "/inApps/v1/transactions/1"), (.GET, "/inApps/v1/transactions"),
        (.GET, "/inApps/v1/transactions/1/more"), (.GET, "/inApps/v9/transactions/1"),
        (.GET, "/inapps/v1/transactions/1"),
    ])
    func unknownPathIs404WithoutABody(method: HTTPMethod, path: String) async throws {
        try await withSimulator { simulator, client in
            let reply = try await client.call(path, method: method, token: try TokenDraft.right(for: simulator))

            #expect(reply.code == 404)
            #expect(reply.text == "")
        }
    }

    private static func payload(of info: Info) throws -> Payload {
        let parts = info.signedTransactionInfo.split(separator: ".").map { String($0) }
        return try #require(TokenInspection.json(parts[1], as: Payload.self))
    }
}
