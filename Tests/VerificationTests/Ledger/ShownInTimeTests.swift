// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Testing
import Verification

/// A payment that its account showed before, for an order of before the payment: its age says nothing against a later order.
@Suite struct ShownInTimeTests {
    private static func outcome(
        _ obstacle: Reason?, atAnyAge: Reason?, _ facts: LedgerFacts = LedgerFacts(wasShownInTime: true, orderState: .open)
    ) -> OrderOutcome {
        let candidate = Candidate(
            makeTransaction("1"), kind: .consumable, obstacle: obstacle, obstacleAtAnyAge: atAnyAge, mayBeAnotherOrders: true)
        return LedgerResolution.resolve([candidate], facts: [facts], order: makeOrder()).outcome
    }

    @Test func itsAgeIsNoObstacle() {
        let candidate = Candidate(makeTransaction("1"), kind: .consumable, obstacle: .purchaseBeforeOrder, mayBeAnotherOrders: true)

        #expect(Self.outcome(.purchaseBeforeOrder, atAnyAge: nil) == .fulfilled(candidate))
        #expect(
            Self.outcome(.purchaseBeforeOrder, atAnyAge: nil, LedgerFacts(orderState: .open)) == .review(.purchaseBeforeOrder, TransactionID(rawValue: "1")))
    }

    @Test(arguments: [Reason.quantityShort, .tokenMissing, .boughtAgainAfterRevocation])
    func whatElseStandsInTheWayStays(_ obstacle: Reason) {
        #expect(Self.outcome(.purchaseBeforeOrder, atAnyAge: obstacle) == .review(obstacle, TransactionID(rawValue: "1")))
    }

    @Test(arguments: [Reason.beforeLedger, .wrongProduct, .partlyRefunded, .unknownProduct])
    func anotherObstacleIsNotOneOfAge(_ obstacle: Reason) {
        #expect(Self.outcome(obstacle, atAnyAge: nil) == .review(obstacle, TransactionID(rawValue: "1")))
    }

    @Test func whatTheLedgerHoldsAgainstItComesFirst() {
        let facts = LedgerFacts(isAnotherAccounts: true, wasShownInTime: true, orderState: .open)

        #expect(Self.outcome(.purchaseBeforeOrder, atAnyAge: nil, facts) == .review(.ownerMismatch, TransactionID(rawValue: "1")))
    }

    /// The order that `order_again` named is paid, although an older order fits too.
    @Test func theOrderThatWasAskedForComesBeforeAnother() {
        let facts = LedgerFacts(ownOrder: OrderID(rawValue: "older"), wasShownInTime: true, orderState: .open)
        let candidate = Candidate(makeTransaction("1"), kind: .consumable, obstacle: .purchaseBeforeOrder, mayBeAnotherOrders: true)

        #expect(Self.outcome(.purchaseBeforeOrder, atAnyAge: nil, facts) == .fulfilled(candidate))
        #expect(Self.outcome(.purchaseBeforeOrder, atAnyAge: .quantityShort, facts) != .fulfilled(candidate))
    }

    @Test(arguments: [(quantity: 1, obstacle: Reason?.none), (quantity: 2, obstacle: .quantityShort)])
    func matchingSaysWhatStandsInTheWayAtAnyAge(quantity: Int, obstacle: Reason?) throws {
        let judgement = OrderMatching.judge(
            VerifiedTransactions([makeTransaction("1", at: -60)], mayBeIncomplete: false), for: makeOrder(quantity: quantity),
            policy: AppPolicy(), hint: nil)
        guard case .candidates(let candidates) = judgement.verdict else { return #expect(Bool(false), "\(judgement.verdict)") }

        #expect(candidates.map(\.obstacle) == [.purchaseBeforeOrder])
        #expect(candidates.map(\.obstacleAtAnyAge) == [obstacle])
    }
}
