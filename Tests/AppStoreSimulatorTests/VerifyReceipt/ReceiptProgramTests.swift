// SPDX-License-Identifier: Apache-2.0

import AppStoreSimulator
import FoundationEssentials
import TestSupport
import Testing

@Suite struct ReceiptProgramTests {
    private let first = SimulatedTransaction(productId: "coins", quantity: 1)
    private let second = SimulatedTransaction(productId: "gems", quantity: 1)
    private let receipt: SimulatedReceipt

    init() {
        receipt = SimulatedReceipt(transactions: [first, second])
    }

    private var both: [String] { [first.transactionId, second.transactionId].sorted() }

    @Test func receiptIsEmptyUntilTheThirdCall() async throws {
        try await withSimulator { simulator, client in
            var program = ReceiptProgram()
            program.emptyUntil = .call(3)
            simulator.setProgram(program, for: receipt.id)

            let blob = try receipt.base64
            let seen = [try await client.verify(blob), try await client.verify(blob), try await client.verify(blob)]

            #expect(seen.map(\.status) == [0, 0, 0])
            #expect(seen.map(\.transactionIDs) == [[], [], both])
        }
    }

    @Test(arguments: [("right", 21004), ("wrong", 21004), (nil, 0)] as [(String?, Int)])
    func theSecretIsRefusedForOneReceipt(_ password: String?, _ status: Int) async throws {
        try await withSimulator { simulator, client in
            simulator.registerApp("com.example.app", sharedSecret: "right")
            var program = ReceiptProgram()
            program.refusesSecret = true
            simulator.setProgram(program, for: receipt.id)
            let other = try SimulatedReceipt(transactions: [first, second]).base64
            let refused = try receipt.base64

            #expect(try await client.verify(refused, password: password).status == status)
            #expect(try await client.verify(other, password: password).status == 0)
        }
    }

    @Test func receiptIsEmptyUntilAMoment() async throws {
        let time = ManualTime(Date(timeIntervalSince1970: 1_800_000_000))
        var configuration = SimulatorConfiguration()
        configuration.now = { time.now }
        try await withSimulator(configuration: configuration) { simulator, client in
            var program = ReceiptProgram()
            program.emptyUntil = .date(time.now.addingTimeInterval(60))
            simulator.setProgram(program, for: receipt.id)

            let before = try await client.verify(receipt.base64)
            time.set(time.now.addingTimeInterval(60))
            let after = try await client.verify(receipt.base64)

            #expect(before.transactionIDs == [])
            #expect(after.transactionIDs == both)
        }
    }

    @Test func oneEntryIsMissingAtFirst() async throws {
        try await withSimulator { simulator, client in
            var program = ReceiptProgram()
            program.arrivals = [second.transactionId: .call(2)]
            simulator.setProgram(program, for: receipt.id)

            let before = try await client.verify(receipt.base64)
            let after = try await client.verify(receipt.base64)

            #expect(before.transactionIDs == [first.transactionId])
            #expect(after.transactionIDs == both)
        }
    }

    @Test func refundShowsLater() async throws {
        try await withSimulator { simulator, client in
            var program = ReceiptProgram()
            program.refunds = [first.transactionId: .init(at: .call(2), reason: 1)]
            simulator.setProgram(program, for: receipt.id)

            let before = try await client.verify(receipt.base64)
            let after = try await client.verify(receipt.base64)

            #expect(before.purchase(first.transactionId)?["cancellation_date_ms"] == nil)
            #expect(before.purchase(first.transactionId)?["cancellation_reason"] == nil)
            #expect(after.purchase(first.transactionId)?["cancellation_date_ms"] != nil)
            #expect(after.purchase(first.transactionId)?["cancellation_reason"] == "1")
            #expect(after.purchase(second.transactionId)?["cancellation_reason"] == nil)
        }
    }

    @Test func finishedConsumableIsGone() async throws {
        try await withSimulator { simulator, client in
            var program = ReceiptProgram()
            program.removals = [first.transactionId: .call(2)]
            simulator.setProgram(program, for: receipt.id)

            let before = try await client.verify(receipt.base64)
            let after = try await client.verify(receipt.base64)

            #expect(before.transactionIDs == both)
            #expect(after.transactionIDs == [second.transactionId])
        }
    }

    @Test func newProgramCountsFromTheBeginning() async throws {
        try await withSimulator { simulator, client in
            var program = ReceiptProgram()
            program.emptyUntil = .call(2)
            simulator.setProgram(program, for: receipt.id)
            _ = try await client.verify(receipt.base64)
            _ = try await client.verify(receipt.base64)

            simulator.setProgram(program, for: receipt.id)
            let reply = try await client.verify(receipt.base64)

            #expect(reply.transactionIDs == [])
        }
    }

    @Test func refusedCallsAreNotCounted() async throws {
        try await withSimulator { simulator, client in
            var program = ReceiptProgram()
            program.emptyUntil = .call(2)
            simulator.setProgram(program, for: receipt.id)

            _ = try await client.verify(receipt.base64, in: .sandbox)
            let reply = try await client.verify(receipt.base64)

            #expect(reply.transactionIDs == [])
        }
    }

    @Test func refundInTheReceiptItselfShowsAtOnce() async throws {
        try await withSimulator { _, client in
            var refunded = first
            refunded.revocationDate = Date(timeIntervalSince1970: 1_766_773_187)

            let reply = try await client.verify(SimulatedReceipt(transactions: [refunded]).base64)

            #expect(reply.purchase(first.transactionId)?["cancellation_date"] == "2025-12-26 18:19:47 Etc/GMT")
            #expect(reply.purchase(first.transactionId)?["cancellation_reason"] == "0")
        }
    }

    @Test func upgradeHasTheDateOfACancellationAndNoReason() async throws {
        try await withSimulator { simulator, client in
            var upgraded = first
            upgraded.isUpgraded = true
            upgraded.upgradeDate = Date(timeIntervalSince1970: 1_766_773_187)
            simulator.remember([upgraded])

            let reply = try await client.verify(SimulatedReceipt(transactions: [upgraded]).base64)

            #expect(reply.purchase(first.transactionId)?["cancellation_date"] == "2025-12-26 18:19:47 Etc/GMT")
            #expect(reply.purchase(first.transactionId)?["cancellation_reason"] == nil)
        }
    }

    @Test func programSurvivesJSON() throws {
        var program = ReceiptProgram()
        program.isAuthentic = false
        program.status = 21010
        program.emptyUntil = .call(3)
        program.arrivals = ["1": .date(Date(timeIntervalSince1970: 1_800_000_000))]
        program.refunds = ["2": .init(at: .call(1), reason: 1)]
        program.removals = ["3": .call(7)]

        let decoded = try JSONDecoder().decode(ReceiptProgram.self, from: JSONEncoder().encode(program))

        #expect(decoded == program)
        #expect(try JSONDecoder().decode(ReceiptProgram.self, from: Data("{}".utf8)) == ReceiptProgram())
    }
}
