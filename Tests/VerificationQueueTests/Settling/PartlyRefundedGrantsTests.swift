// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Postgres
import Testing
import Verification
import VerificationQueue

/// A part of a payment is refunded after its grant: nothing moves, and an alert comes once, by whatever shows the refund first.
@Suite struct PartlyRefundedGrantsTests {
    private static let purchased = Date(timeIntervalSinceNow: -60)
    private static let refundedAt = Date()

    private static func bought(_ share: Revocation.Share?) -> Transaction {
        var bought = Transaction.sample(id: "1", purchased: purchased)
        bought.revocation = share.map { Revocation(.signedTransaction, date: refundedAt, share: $0, asOf: refundedAt) }
        return bought
    }

    /// How the refund of payment "1" is shown, which order "first" was granted. Order "second" is made after it.
    enum Way: String, CaseIterable {
        /// Its order's proof shows it anew.
        case ownProof
        /// The client named the granted payment beside it: only the refund is written.
        case repetition
        /// A receipt lacks what the second order waits for.
        case lackingReceipt
        /// A receipt shows what pays the second order, too.
        case receipt
        case notification

        var order: String { self == .ownProof || self == .repetition ? "first" : "second" }

        func settlement(_ job: Job, _ refunded: Transaction) -> Settlement {
            let shown = ShownPayment(refunded, isReceipt: true)
            return switch self {
            case .ownProof: Settlement(refunded, shownBy: job)
            case .repetition: Settlement(job, .end(.unchanged), payments: .init(revoked: [refunded]))
            case .lackingReceipt:
                Settlement(job, .end(.rejected(.purchaseNotInReceipt, nil)), payments: .init(others: [shown], revoked: [refunded]))
            case .receipt:
                Settlement(
                    job, .grantOne,
                    payments: .init(
                        candidates: [ShownPayment(.sample(id: "2"), isReceipt: true)], others: [shown], revoked: [refunded]))
            case .notification: Settlement(job, recording: Told("REFUND", refunded).effects)
            }
        }
    }

    /// - Returns: whether it is an alert.
    private func show(_ refunded: Transaction, by way: Way, _ queue: QueueFixture) async throws -> Bool {
        if way == .notification {
            try await queue.receive(QueueFixture.notificationText("REFUND"))
        } else {
            try await queue.submit(way.order, "eyJ 1")
        }
        let job = try #require(try await queue.claim().first)
        let results = try await SettlementStore(pool: queue.pool, workerID: queue.worker)
            .settle([way.settlement(job, refunded)]).results
        return try #require(results.first).recordsRefundOfPart
    }

    @Test(arguments: Way.allCases, [Revocation.Share.part(40_000), .unknown])
    func theAlertComesOnce(_ way: Way, _ share: Revocation.Share) async throws {
        try await QueueFixture.run { queue in
            try await queue.submit("first", "eyJ 1")
            try await queue.work { _ in Self.bought(nil) }

            var alerts: [Bool] = []
            for way in [way, way, .notification, .ownProof] {
                alerts.append(try await show(Self.bought(share), by: way, queue))
            }

            #expect(alerts == [true, false, false, false])
            #expect(try await queue.order("first") == OrderFacts(.fulfilled, by: "1"))
            #expect(try await queue.count("counterfoil.changes where kind = 'order_partly_refunded'") == 1)
            #expect(try await queue.count("counterfoil.revocations") == 1)
            #expect(try await queue.faults() == [])
        }
    }

    @Test(arguments: [Revocation.Share.part(40_000), .unknown, .whole, nil], [true, false])
    func onlyAPartOfWhatWasGrantedIsOne(share: Revocation.Share?, isGranted: Bool) async throws {
        try await QueueFixture.run { queue in
            try await queue.submit("first", "eyJ 1")
            if isGranted { try await queue.work { _ in Self.bought(nil) } }

            let isAlert = try await show(Self.bought(share), by: .ownProof, queue)

            #expect(isAlert == (isGranted && share != nil && share != .whole))
        }
    }

    /// Anybody may know an id: its refund is written, and the payment is nobody's who names it.
    @Test func whatOnlyABareIDShowsIsNotKeptForItsOrder() async throws {
        try await QueueFixture.run { queue in
            try await queue.submit("first", "eyJ 1")
            let job = try #require(try await queue.claim().first)

            _ = try await queue.settle(
                Settlement(
                    job, .end(.review(.partlyRefunded, TransactionID(rawValue: "1"))),
                    payments: .init(revoked: [Self.bought(.part(40_000))])))

            #expect(try await queue.count("counterfoil.revocations") == 1)
            #expect(try await queue.count("counterfoil.payments where account_id is null and shown_by_number is null") == 1)
        }
    }
}
