// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Testing
import Verification

/// What stands against giving a payment to an order by hand, and what an operator may go over.
@Suite struct AssignmentObstacleTests {
    private func obstacles(
        _ transaction: Transaction = makeTransaction("1"), kind: ProductKind? = .consumable,
        facts: LedgerFacts = LedgerFacts(orderState: .open), order: Order = makeOrder(), policy: AppPolicy = AppPolicy()
    ) -> [AssignmentObstacle] {
        AssignmentObstacle.all(for: transaction, kind: kind, facts: facts, order: order, policy: policy)
    }

    @Test func nothingStandsAgainstAFittingPayment() {
        #expect(obstacles() == [])
    }

    @Test(arguments: [OrderState.rejected, .review, .open])
    func anOrderThatIsNotPaidMayBePaid(_ state: OrderState) {
        #expect(obstacles(facts: LedgerFacts(orderState: state)) == [])
    }

    @Test(arguments: [OrderState.fulfilled, .refunded, .cancelled])
    func anOrderThatIsOverStaysAsItIs(_ state: OrderState) {
        #expect(obstacles(facts: LedgerFacts(orderState: state)) == [.orderIs(state)])
    }

    @Test func aGrantedPaymentNamesItsOrder() {
        let holder = LedgerFacts.Holder(
            orderID: OrderID(rawValue: "other"), accountID: AccountID(rawValue: "bob"),
            transactionID: TransactionID(rawValue: "1"))

        let found = obstacles(facts: LedgerFacts(holder: holder, orderState: .open))

        #expect(found == [.granted(OrderID(rawValue: "other"))])
        #expect(found[0].description == "the transaction was granted to order other")
    }

    @Test func aPaymentThatWasTakenBackIsNotGranted() {
        #expect(obstacles(facts: LedgerFacts(refund: .later, orderState: .open)) == [.takenBack])
        #expect(obstacles(makeTransaction("1", revokedAt: 5)) == [.takenBack])
    }

    /// The payment is kept for just that: an operator decides.
    @Test func aPaymentThatWasRefundedInPartMayBeGranted() {
        #expect(obstacles(makeTransaction("1", refund: refund(.part(40_000)))) == [.partlyRefunded])
        #expect(obstacles(makeTransaction("1", refund: refund(.unknown))) == [.partlyRefunded])
        #expect(obstacles(facts: LedgerFacts(isPartlyRefunded: true, orderState: .open)) == [.partlyRefunded])
        #expect(AssignmentObstacle.partlyRefunded.canBeOverridden)
    }

    @Test func factsThatCannotBeReadAreNamedAndMayBeOverridden() {
        let found = AssignmentObstacle.all(
            for: makeTransaction("1"), kind: .consumable, facts: LedgerFacts(orderState: .open), order: makeOrder(),
            policy: AppPolicy(), faults: ["quantity can't be read", "type can't be read"])

        #expect(found == [.odd(["quantity can't be read", "type can't be read"])])
        #expect(found[0].canBeOverridden)
        #expect(
            found.map(\.description)
                == ["in the transaction that Apple signed, the quantity can't be read, the type can't be read"])
    }

    @Test func whatNobodyPaidForIsNotGranted() {
        #expect(obstacles(makeTransaction("1", ownership: .familyShared)) == [.familyShared])
        #expect(obstacles(makeTransaction("1", ownership: .assigned)) == [.familyShared])
        #expect(obstacles(makeTransaction("1", ownership: .unknown)) == [.familyShared])
        #expect(obstacles(makeTransaction("1", environment: .sandbox)) == [.sandboxNotAllowed])
        #expect(obstacles(makeTransaction("1", environment: .sandbox), policy: AppPolicy(allowsSandbox: true)) == [])
    }

    @Test func anotherAppsPaymentIsNotGranted() {
        #expect(obstacles(makeTransaction("1", bundle: "other")) == [.wrongApp(BundleID(rawValue: "other"))])
    }

    @Test func withoutAKindThereIsNoTellingWhatOneGrantIs() {
        #expect(obstacles(kind: nil) == [.unknownKind(ProductID(rawValue: "coins"))])
    }

    /// Granted under its own id, it would be a second grant of what it restores.
    @Test func aConsumableRestoresNothing() {
        #expect(obstacles(makeTransaction("2", original: "1")) == [.restores(TransactionID(rawValue: "1"))])
        #expect(obstacles(makeTransaction("2", original: "1"), kind: .nonConsumable) == [])
    }

    @Test func whatIsOlderThanTheLedgerMayHaveBeenDelivered() {
        let start = makeTransaction("1").purchaseDate

        #expect(obstacles(policy: AppPolicy(ledgerStartsAt: start)) == [])
        #expect(obstacles(policy: AppPolicy(ledgerStartsAt: start.addingTimeInterval(1))) == [.beforeLedger])
    }

    @Test func aPurchaseMadeAgainAfterItsRefundIsDoubtful() {
        #expect(
            obstacles(facts: LedgerFacts(originalWasRevokedBefore: true, orderState: .open)) == [.boughtAgainAfterRevocation])
    }

    @Test func whatTheLedgerRefusesItselfIsToldToIt() {
        let refused: [AssignmentObstacle] = [.boughtAgainAfterRevocation, .ownerMismatch]
        let others: [AssignmentObstacle] = [
            .wrongProduct(paid: ProductID(rawValue: "a"), ordered: ProductID(rawValue: "b")), .quantityShort(paid: 1, ordered: 2),
            .beforeLedger,
        ]

        #expect(refused.allSatisfy { $0.isForTheLedgerToDecide && $0.canBeOverridden })
        #expect(others.allSatisfy { !$0.isForTheLedgerToDecide && $0.canBeOverridden })
    }

    @Test func whatAnOperatorMayKnowBetterMayBeOverridden() {
        let found = obstacles(
            makeTransaction("1", product: "gems"),
            facts: LedgerFacts(originalWasRevokedBefore: true, isAnotherAccounts: true, orderState: .open),
            order: makeOrder(quantity: 2))

        #expect(
            found == [
                .wrongProduct(paid: ProductID(rawValue: "gems"), ordered: ProductID(rawValue: "coins")),
                .quantityShort(paid: 1, ordered: 2), .boughtAgainAfterRevocation, .ownerMismatch,
            ])
        #expect(found.allSatisfy { $0.canBeOverridden })
    }

    @Test func moreThanOrderedIsNoObstacle() {
        #expect(obstacles(makeTransaction("1", quantity: 3)) == [])
    }

    @Test func nothingElseMayBeOverridden() {
        let others: [AssignmentObstacle] = [
            .wrongApp(BundleID(rawValue: "b")), .granted(OrderID(rawValue: "o")), .takenBack, .orderIs(.fulfilled),
            .sandboxNotAllowed, .familyShared, .unknownKind(ProductID(rawValue: "p")),
            .restores(TransactionID(rawValue: "1")),
        ]

        #expect(others.allSatisfy { !$0.canBeOverridden })
    }

    @Test func whatTheLedgerSaysIsAnotherAccountsIsAnotherOwners() {
        #expect(obstacles(facts: LedgerFacts(isAnotherAccounts: true, orderState: .open)) == [.ownerMismatch])
    }

    @Test func aMissingTokenCountsWhereTheAppsPolicySaysSo() {
        #expect(obstacles(order: makeOrder(token: token), policy: AppPolicy(absentToken: .review)) == [.ownerMismatch])
    }
}
