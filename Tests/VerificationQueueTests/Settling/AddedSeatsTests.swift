// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import TestSupport
import Testing
import Verification
import VerificationQueue

/// What settlements and operators do with seats that were added to a period: its line item is the period's.
@Suite struct AddedSeatsTests {
    private static let moment = Date(timeIntervalSince1970: 1_800_000_000)

    private static func transaction(_ id: String, at seconds: Double = 0, isAddition: Bool = true) -> Transaction {
        var transaction = Transaction.sample(
            id: id, original: "1", product: "plus", kind: .autoRenewable, purchased: moment.addingTimeInterval(seconds),
            webOrder: "9")
        transaction.additionalReason = isAddition ? .seatAddition : nil
        return transaction
    }

    /// Order `a` has the period.
    private func run(_ body: @Sendable (QueueFixture) async throws -> Void) async throws {
        try await QueueFixture.run { queue in
            try await settle(queue, "a", Self.transaction("1", isAddition: false))
            try #require(try await queue.order("a") == OrderFacts(.fulfilled, by: "1"))
            try await body(queue)
            #expect(try await queue.faults() == [])
        }
    }

    private func settle(_ queue: QueueFixture, _ order: String, _ transaction: Transaction) async throws {
        try await queue.submit(order, "eyJ \(order)", product: "plus")
        let job = try #require(try await queue.claim().first)
        _ = try await queue.settle(Settlement(job, .grantOne, payments: .init(candidates: [ShownPayment(transaction)])))
    }

    private func assign(_ queue: QueueFixture, _ id: String, to order: String, fetched: Transaction? = nil) async throws {
        let overruled = try await SettlementStore(pool: queue.pool, workerID: WorkerID(rawValue: 0)).assign(
            TransactionID(rawValue: id), in: nil, fetched: fetched, to: OrderID(rawValue: order), overrides: false,
            by: OperatorAct(who: "eve", why: "the customer called"))
        #expect(overruled == [])
    }

    @Test func seatsGoToReviewAndAnOperatorAssignsThem() async throws {
        try await run { queue in
            try await settle(queue, "b", Self.transaction("2", at: 5))

            #expect(try await queue.order("b") == OrderFacts(.review, .seatsAdded, by: "2"))
            #expect(
                try await queue.count(
                    """
                    counterfoil.payments where transaction_id = '2' and reason = 'seats_added' and payment_key is null
                        and web_order_line_item_id is null and additional_reason = 'seat_addition'
                    """) == 1)
            #expect(
                try await queue.count("counterfoil.order_status where order_id = 'b' and client_action = 'contact_support'") == 1)
            try await assign(queue, "2", to: "b")

            #expect(try await queue.order("b") == OrderFacts(.fulfilled, by: "2"))
            #expect(try await queue.count("counterfoil.grants") == 2)
        }
    }

    @Test func seatsForThePeriodsOwnOrderAreUnclaimed() async throws {
        try await run { queue in
            try await settle(queue, "a", Self.transaction("2", at: 5))

            #expect(try await queue.order("a") == OrderFacts(.fulfilled, by: "1"))
            #expect(
                try await queue.count("counterfoil.paid_not_delivered where transaction_id = '2' and reason = 'seats_added'") == 1)
        }
    }

    @Test func anOperatorAssignsSeatsThatAppleShowsJustNow() async throws {
        try await run { queue in
            try await queue.submit("b", "eyJ b", product: "plus")

            try await assign(queue, "2", to: "b", fetched: Self.transaction("2", at: 5))

            #expect(try await queue.order("b") == OrderFacts(.fulfilled, by: "2"))
        }
    }

    @Test(arguments: ["1", "3"])
    func thePeriodsOwnPaymentIsAReplay(id: String) async throws {
        try await run { queue in
            try await settle(queue, "b", Self.transaction(id))

            #expect(try await queue.order("b") == OrderFacts(.rejected, .alreadyGranted, by: id))
            #expect(try await queue.count("counterfoil.unclaimed_transactions") == 0)
            #expect(
                try await queue.count("counterfoil.payment_states where state = 'restored' and transaction_id = '3'")
                    == (id == "3" ? 1 : 0))
        }
    }
}
