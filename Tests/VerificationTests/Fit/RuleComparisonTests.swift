// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Testing
import Verification

/// Today's rule and ``Fit`` beside each other, over random payments and orders. It goes with the old rule.
///
/// Each difference must have a cause that follows from the facts, and each cause must occur.
@Suite struct RuleComparisonTests {
    #if DEBUG
        private static let payments = 60_000
        private static let orders = 40_000
    #else
        private static let payments = 400_000
        private static let orders = 200_000
    #endif

    /// Why both rules may differ, by the number of the disagreement that ends.
    enum Cause: String, CaseIterable {
        case advancedCommerceComesFirst = "D1"
        case seatsComeBeforeShares = "D2"
        case noOrderHidesADoubt = "D3"
        case refundsAreTheLedgersWord = "D4"
        case anOlderRefundDoesNotEndTheOrder = "D5"
        case paidAtIsKnownOfKeptRows = "D6"
        case renewsWhatItsOwnOrderPaysFor = "D8"
        case anyProofsTokenCounts = "D12"
        case anyProductsKindIsKnown = "D17"
        case theOwnOrderComesFirst = "D18"
        /// Row 7: the ledger found that the token is of an order of the account.
        case anOwnTokenIsNoMismatch = "own token"
        /// A bare id of whose payment any proof showed another token than the order's is weighed as another owner's.
        case aBareIDsTokenWeighs = "bare id"
    }

    /// The causes by how often they occurred.
    struct Tally {
        private(set) var counts: [Cause: Int] = [:]
        private(set) var same = 0

        mutating func note(_ causes: [Cause]) {
            if causes.isEmpty { same += 1 }
            for cause in causes { counts[cause, default: 0] += 1 }
        }

        func line(_ name: String) -> String {
            let parts = Cause.allCases.compactMap { cause in counts[cause].map { "\(cause.rawValue) \($0)" } }
            return "\(name): same \(same), " + parts.joined(separator: ", ")
        }
    }

    // MARK: One payment

    @Test func theFirstObjectionIsTodaysReason() {
        var draws = PaymentDraws(seed: 20_261_128)
        var tally = Tally()
        var unexplained = 0
        for _ in 0..<Self.payments {
            let compared = Self.drawPayment(&draws)
            guard compared.old != compared.new else {
                tally.note([])
                continue
            }
            guard let cause = compared.cause else {
                unexplained += 1
                if unexplained <= 10 { Issue.record("\(compared)") }
                continue
            }
            tally.note([cause])
        }

        print(tally.line("first objection of \(Self.payments) payments"))
        #expect(unexplained == 0)
        let expected: Set<Cause> = [
            .advancedCommerceComesFirst, .seatsComeBeforeShares, .refundsAreTheLedgersWord, .paidAtIsKnownOfKeptRows,
            .anyProofsTokenCounts, .anyProductsKindIsKnown, .aBareIDsTokenWeighs,
        ]
        #expect(Set(tally.counts.keys) == expected)
    }

    /// An older order is looked for where it is today.
    @Test func anOlderOrderIsLookedForAsToday() {
        var draws = PaymentDraws(seed: 20_261_129)
        var searched = 0
        var different = 0
        for _ in 0..<Self.payments {
            let compared = Self.drawPayment(&draws)
            guard case .candidate(let candidate) = compared.offer else { continue }
            let payment = PaymentFacts(compared.drawn.shown(for: compared.order))

            let objections = Fit.objections(to: payment, for: compared.order, under: compared.policy)
            let mayPay = Fit.mayPayAnOlderOrder(payment, than: compared.order, objections)

            if mayPay { searched += 1 }
            if mayPay != candidate.mayBeAnotherOrders {
                different += 1
                if different <= 10 { Issue.record("\(compared)") }
            }
        }

        #expect(different == 0)
        #expect(searched > Self.payments / 100)
    }

    private struct ComparedPayment {
        let drawn: DrawnPayment
        let order: Order
        let policy: AppPolicy
        let offer: DrawnPayment.Offer
        let old: Reason?
        let new: Reason?

        var cause: Cause? {
            let token = drawn.transaction.appAccountToken
            let anyToken = token ?? drawn.knownToken
            let differs = anyToken != nil && order.appAccountToken != nil && anyToken != order.appAccountToken
            if !drawn.provesPossession && differs && new == .ownerMismatch { return .aBareIDsTokenWeighs }
            if drawn.showsReversedRefund && (old == .refunded || old == .partlyRefunded) { return .refundsAreTheLedgersWord }
            if drawn.isAdvancedCommerce && new == .unsupportedYet { return .advancedCommerceComesFirst }
            if drawn.showsSeats && new == .seatsAdded { return .seatsComeBeforeShares }
            if token == nil && drawn.knownToken != nil && old == .tokenMissing { return .anyProofsTokenCounts }
            if drawn.paidAt != nil && (new == .beforeLedger || new == .purchaseBeforeOrder) { return .paidAtIsKnownOfKeptRows }
            let isAnother = drawn.transaction.productID != order.productID && drawn.transaction.productKind == nil
            if isAnother && (old == .beforeLedger || new == .beforeLedger) { return .anyProductsKindIsKnown }
            return nil
        }
    }

    /// One payment for an open order, judged by both rules.
    private static func drawPayment(_ draws: inout PaymentDraws) -> ComparedPayment {
        let policy = draws.policy()
        let kind = draws.kind()
        var order = draws.order([.open], kind: kind)
        let isAnother = draws.once(in: 5)
        let isSigned = draws.once(in: 2)
        var drawn = draws.payment("1", of: isAnother ? "gems" : "coins", kind: kind, isSigned: isSigned)
        if draws.once(in: 16) { drawn.listedKind = draws.one(of: ProductKind.allCases) }
        if !isAnother { order.productKind = drawn.listedKind }
        if draws.once(in: 8) { drawn.knownToken = draws.one(of: [token, otherToken]) }
        if drawn.transaction.originalPurchaseDate == nil && draws.once(in: 8) {
            let paidAt = draws.one(of: [moment(-3_000), moment(-60)])
            if paidAt < drawn.transaction.purchaseDate { drawn.paidAt = paidAt }
        }
        if !isAnother {
            if draws.once(in: 10) { drawn.provesPossession = false }
            if draws.once(in: 30) { drawn.transaction.ownership = draws.one(of: [.familyShared, .assigned, .unknown]) }
            if draws.once(in: 40) { drawn.transaction.environment = .sandbox }
            if draws.once(in: 40) { drawn.transaction.bundleID = BundleID(rawValue: "theirs") }
        }

        let offer = drawn.offered(for: order, policy)
        let old: Reason?
        var payment = PaymentFacts(drawn.shown(for: order))
        switch offer {
        case .candidate(let candidate):
            let facts = drawn.facts(for: order, policy, of: candidate)
            old = reason(of: LedgerStanding(candidate, facts: facts, order: order))
            payment.ledger = facts
        case .reason(let reason):
            // What was refunded before the order was made is answered by row 6.
            old = drawn.transaction.isRefunded && reason == .purchaseBeforeOrder ? .refunded : reason
        }
        let new = Fit.objections(to: payment, for: order, under: policy).first?.reason
        return ComparedPayment(drawn: drawn, order: order, policy: policy, offer: offer, old: old, new: new)
    }

    private static func reason(of standing: LedgerStanding) -> Reason? {
        switch standing {
        case .paidThisOrder, .paidAnotherOrder: .alreadyGranted
        case .takenBack: .refunded
        case .blocked(let reason): reason
        case .renewal: .wrongProduct
        case .ownOrder, .free: nil
        }
    }

    // MARK: An order

    @Test func whatBecomesOfAnOrderAndItsPaymentsIsTodays() {
        var draws = PaymentDraws(seed: 20_261_130)
        var tally = Tally()
        var unexplained = 0
        for _ in 0..<Self.orders {
            let drawn = ComparedOrder.draw(&draws)
            guard let causes = drawn.causes() else {
                unexplained += 1
                if unexplained <= 10 { Issue.record("\(drawn)") }
                continue
            }
            tally.note(causes)
        }

        print(tally.line("outcome and kept payments of \(Self.orders) orders"))
        #expect(unexplained == 0)
        let expected: Set<Cause> = [
            .advancedCommerceComesFirst, .seatsComeBeforeShares, .noOrderHidesADoubt, .refundsAreTheLedgersWord,
            .anOlderRefundDoesNotEndTheOrder, .renewsWhatItsOwnOrderPaysFor, .theOwnOrderComesFirst, .anOwnTokenIsNoMismatch,
        ]
        #expect(Set(tally.counts.keys) == expected)
    }
}
