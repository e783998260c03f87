// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Testing
import Verification

/// A payment that its account showed before, for an order of before the payment: its age says nothing against a later order.
@Suite struct ShownInTimeTests {
    /// Paid an hour before its order, and shown in time unless another time is given.
    private func facts(firstOrderedAt: Date? = moment(-60), _ change: (inout FitCase) -> Void = { _ in }) -> FitCase {
        var facts = FitCase()
        facts.order.createdAt = moment(61)
        facts.firstOrderedAt = firstOrderedAt
        change(&facts)
        return facts
    }

    private func outcome(_ facts: FitCase) -> OrderOutcome {
        Choice.choose(among: [facts.payment], for: facts.order, under: facts.policy).outcome
    }

    @Test func itsAgeIsNoObjection() {
        let shown = facts()
        let notShown = facts(firstOrderedAt: nil)

        #expect(outcome(shown) == .fulfilled(shown.payment))
        #expect(notShown.objections == [.beforeOrder])
        #expect(outcome(notShown) == .review(.purchaseBeforeOrder, TransactionID(rawValue: "1")))
    }

    @Test(arguments: ObjectionTests.rows.filter { $0.name != "beforeOrder" })
    func whatElseStandsInTheWayStays(_ row: ObjectionRow) {
        let shown = facts(row.arrange)

        #expect(shown.objections.map(\.reason) == [row.reason])
    }

    @Test(arguments: [
        ("tooFew", Reason.quantityShort), ("noToken", .tokenMissing), ("boughtAgain", .boughtAgainAfterRevocation),
        ("beforeLedger", .beforeLedger), ("partlyRefunded", .partlyRefunded), ("unknownKind", .unknownProduct),
        ("anotherProduct", .wrongProduct), ("anotherOwner", .ownerMismatch),
    ])
    func thePersonIsToldWhatElseStandsInTheWay(_ name: String, _ reason: Reason) throws {
        let row = try #require(ObjectionTests.rows.first { $0.name == name })

        #expect(outcome(facts(row.arrange)) == .review(reason, TransactionID(rawValue: "1")))
    }

    /// The order that `order_again` named is paid, although an older order fits too.
    @Test func theOrderThatWasAskedForComesBeforeAnother() {
        let older = OrderID(rawValue: "older")
        let asked = facts { $0.ownOrder = older }
        let short = facts {
            $0.ownOrder = older
            $0.order.quantity = 2
        }

        #expect(outcome(asked) == .fulfilled(asked.payment))
        #expect(outcome(short) == .paidAnother(older, by: short.payment))
    }

    /// The proof alone doesn't know it.
    @Test(arguments: [(quantity: 1, objections: [Objection.beforeOrder]), (2, [.beforeOrder, .tooFew(paid: 1, ordered: 2)])])
    func beforeTheLedgerIsAskedItsAgeStandsAgainstIt(quantity: Int, objections: [Objection]) throws {
        let order = makeOrder(quantity: quantity)
        let judgement = OrderMatching.judge(
            VerifiedTransactions([makeTransaction("1", at: -60)], mayBeIncomplete: false), for: order, policy: AppPolicy(),
            hint: nil)
        guard case .candidates(let candidates) = judgement.verdict else {
            Issue.record("not offered: \(judgement.verdict)")
            return
        }

        #expect(candidates.map { Fit.objections(to: PaymentFacts($0), for: order, under: AppPolicy()) } == [objections])
    }
}
