// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import PurchaseClient

/// What a client does with a purchase: it finishes what it was told to finish, and loses nothing on the way there.
@Suite struct PurchaseFlowTests {
    private typealias Action = PurchaseFlow.Action

    private static let order = PurchaseFlow.Order(id: "o", productID: "coins", token: "t")
    private static let paid = PurchaseFlow.Transaction(id: "1", productID: "coins", token: "t", proof: "jws 1")

    private static func transaction(_ id: String, product: String = "coins", token: String? = nil) -> PurchaseFlow.Transaction {
        PurchaseFlow.Transaction(id: id, productID: product, token: token, proof: "jws " + id)
    }

    /// A flow whose transaction is uploaded for the order, and polled.
    private static func polling() -> PurchaseFlow {
        var flow = PurchaseFlow()
        _ = flow.handle(.placed(order))
        _ = flow.handle(.bought(order, paid))
        _ = flow.handle(.uploaded(order: "o", transaction: "1"))
        return flow
    }

    @Test func aPurchaseIsFinishedOnceTheBackendSaysSo() {
        var flow = PurchaseFlow()

        #expect(flow.handle(.buy(product: "coins")) == [.place(product: "coins")])
        #expect(flow.handle(.placed(Self.order)) == [.remember([Self.order]), .purchase(Self.order)])
        #expect(flow.handle(.bought(Self.order, Self.paid)) == [.upload(Self.paid, order: "o")])
        #expect(flow.handle(.uploaded(order: "o", transaction: "1")) == [.poll(order: "o")])
        #expect(flow.handle(.answered(order: "o", .wait(seconds: 3))) == [.later(.poll(order: "o"), seconds: 3)])
        #expect(flow.unfinished == [Self.paid])
        #expect(
            flow.handle(.answered(order: "o", .finish(transaction: "1")))
                == [.finish(transaction: "1"), .remember([]), .show(.bought(Self.order))])
        #expect(flow.unfinished.isEmpty)
    }

    @Test(arguments: [0, -5, 7, 100_000])
    func aPollWaitsFromOneSecondToAMinute(seconds: Int) {
        var flow = Self.polling()

        let actions = flow.handle(.answered(order: "o", .wait(seconds: seconds)))

        #expect(actions == [.later(.poll(order: "o"), seconds: min(max(seconds, 1), 60))])
    }

    @Test func aPurchaseThatWaitsForAParentIsTakenUpByItsToken() {
        var flow = PurchaseFlow()
        _ = flow.handle(.placed(Self.order))

        #expect(flow.handle(.bought(Self.order, nil)) == [])
        #expect(flow.handle(.received([Self.paid])) == [.upload(Self.paid, order: "o")])
    }

    @Test func aCancelledPurchaseIsForgotten() {
        var flow = PurchaseFlow()
        _ = flow.handle(.placed(Self.order))

        #expect(flow.handle(.cancelled(Self.order)) == [.remember([])])
        #expect(flow.handle(.received([Self.paid])) == [.find(Self.paid)])
    }

    @Test func aRememberedOrderNeedsNoQuestionAfterARestart() {
        var flow = PurchaseFlow(remembering: [Self.order])

        #expect(flow.handle(.received([Self.paid])) == [.upload(Self.paid, order: "o")])
    }

    /// Nothing is remembered: the backend knows the account's open orders.
    @Test func afterAReinstallTheBackendNamesTheOrder() {
        var flow = PurchaseFlow()

        #expect(flow.handle(.received([Self.paid])) == [.find(Self.paid)])
        #expect(flow.handle(.found(order: "o", transaction: "1")) == [.upload(Self.paid, order: "o")])
    }

    /// A renewal, an offer code, a promoted purchase, a restore.
    @Test func aPaymentWithoutAnOrderGetsOne() {
        var flow = PurchaseFlow()

        _ = flow.handle(.received([Self.paid]))
        #expect(flow.handle(.found(order: nil, transaction: "1")) == [.recover(Self.paid)])
        #expect(flow.handle(.made(order: "found-1", transaction: "1")) == [.poll(order: "found-1")])
        #expect(flow.handle(.answered(order: "found-1", .finish(transaction: "1"))) == [.finish(transaction: "1")])
    }

    @Test func anotherProductOrTokenIsNotTheOrders() {
        var flow = PurchaseFlow(remembering: [Self.order])
        let others = [Self.transaction("2", product: "gems", token: "t"), Self.transaction("3")]

        #expect(flow.handle(.received(others)) == others.map(Action.find))
    }

    @Test func aTransactionThatComesTwiceIsUploadedOnce() {
        var flow = PurchaseFlow()
        _ = flow.handle(.placed(Self.order))
        _ = flow.handle(.received([Self.paid]))

        #expect(flow.handle(.bought(Self.order, Self.paid)) == [])
        #expect(flow.handle(.received([Self.paid, Self.paid])) == [])
    }

    @Test func aFinishedTransactionThatComesAgainIsFinishedAgain() {
        var flow = Self.polling()
        _ = flow.handle(.answered(order: "o", .finish(transaction: "1")))

        #expect(flow.handle(.received([Self.paid])) == [.finish(transaction: "1")])
    }

    /// The order was granted another payment: what it says is not about this one.
    @Test func aSecondPaymentOfAnOrderIsAskedAboutAndOrderedAgain() {
        var flow = Self.polling()

        #expect(
            flow.handle(.answered(order: "o", .finish(transaction: "0")))
                == [.remember([]), .show(.bought(Self.order)), .ask(transaction: "1")])
        #expect(flow.unfinished == [Self.paid])
        #expect(flow.handle(.answeredOf(transaction: "1", nil)) == [.later(.ask(transaction: "1"), seconds: 1)])
        #expect(flow.handle(.answeredOf(transaction: "1", nil)) == [.later(.ask(transaction: "1"), seconds: 2)])
        #expect(flow.handle(.answeredOf(transaction: "1", .orderAgain)) == [.again(order: "o", Self.paid)])
        #expect(flow.handle(.made(order: "again-1", transaction: "1")) == [.poll(order: "again-1")])
        #expect(flow.handle(.answered(order: "again-1", .finish(transaction: "1"))) == [.finish(transaction: "1")])
    }

    /// The proof showed another payment, a renewal for example: the order stays open for its own.
    @Test func anOrderThatStaysOpenIsKept() {
        var flow = Self.polling()

        #expect(flow.handle(.answered(order: "o", .uploadProof)) == [.ask(transaction: "1")])
        #expect(flow.handle(.answeredOf(transaction: "1", .finish(transaction: "1"))) == [.finish(transaction: "1")])
        let second = Self.transaction("2", token: "t")
        #expect(flow.handle(.received([second])) == [.upload(second, order: "o")])
    }

    @Test func aPaymentThatNoClientShowedIsRecovered() {
        var flow = Self.polling()
        _ = flow.handle(.answered(order: "o", .uploadProof))

        #expect(flow.handle(.answeredOf(transaction: "1", .uploadProof)) == [.recover(Self.paid)])
    }

    @Test func anAnswerThatNamesAnotherTransactionFinishesNothing() {
        var flow = Self.polling()
        _ = flow.handle(.answered(order: "o", .uploadProof))

        #expect(
            flow.handle(.answeredOf(transaction: "1", .finish(transaction: "9"))) == [.later(.ask(transaction: "1"), seconds: 1)])
        #expect(flow.handle(.answered(order: "elsewhere", .finish(transaction: "1"))) == [])
        #expect(flow.unfinished == [Self.paid])
    }

    @Test func anotherOrderIsMadeWithTheSameProof() {
        var flow = Self.polling()

        #expect(flow.handle(.answered(order: "o", .orderAgain)) == [.remember([]), .again(order: "o", Self.paid)])
        #expect(flow.handle(.made(order: "again-1", transaction: "1")) == [.poll(order: "again-1")])
    }

    @Test func aNewerProofIsUploadedThreeTimesAtMost() {
        var flow = Self.polling()
        for (time, pause) in [1, 2, 4].enumerated() {
            #expect(
                flow.handle(.answered(order: "o", .resendProof)) == [.later(.refresh(transaction: "1"), seconds: pause)])
            var newer = Self.paid
            newer.proof = "jws \(time)"
            #expect(flow.handle(.received([newer])) == [.upload(newer, order: "o")])
            #expect(flow.handle(.uploaded(order: "o", transaction: "1")) == [.poll(order: "o")])
        }

        #expect(
            flow.handle(.answered(order: "o", .resendProof)) == [.show(.contactSupport(order: "o", reason: nil))])
        #expect(flow.unfinished.map(\.id) == ["1"])
    }

    @Test func whatAPersonDecidesIsAskedAgainAtTheNextStart() {
        var flow = Self.polling()

        #expect(
            flow.handle(.answered(order: "o", .contactSupport(reason: "owner_mismatch")))
                == [.show(.contactSupport(order: "o", reason: "owner_mismatch"))])
        #expect(flow.handle(.received([Self.paid])) == [])
        var restarted = PurchaseFlow(remembering: [Self.order])
        #expect(restarted.handle(.received([Self.paid])) == [.upload(Self.paid, order: "o")])
    }

    private static let calls: [Action] = [
        .find(paid), .recover(paid), .upload(paid, order: "o"), .poll(order: "o"), .ask(transaction: "1"), .again(order: "o", paid),
        .refresh(transaction: "1"), .finish(transaction: "1"),
    ]

    @Test(arguments: calls)
    func aFailedCallIsRepeatedLaterAndLater(call: PurchaseFlow.Action) {
        var flow = Self.polling()

        for seconds in [1, 2, 4, 8, 16, 32, 60, 60] { #expect(flow.handle(.failed(call)) == [.later(call, seconds: seconds)]) }
        _ = flow.handle(.answered(order: "o", .wait(seconds: 1)))
        #expect(flow.handle(.failed(call)) == [.later(call, seconds: 1)])
        #expect(flow.handle(.failed(.later(call, seconds: 60))) == [.later(call, seconds: 2)])
    }

    @Test func aPurchaseThatFailedIsShownAndNotRepeated() {
        var flow = PurchaseFlow()
        _ = flow.handle(.placed(Self.order))

        #expect(flow.handle(.failed(.place(product: "coins"))) == [.show(.notBought(product: "coins"))])
        #expect(flow.handle(.failed(.purchase(Self.order))) == [.remember([]), .show(.notBought(product: "coins"))])
        // It was paid all the same.
        #expect(flow.handle(.received([Self.paid])) == [.find(Self.paid)])
    }

    @Test func anAnswerThatComesTooLateChangesNothing() {
        var flow = Self.polling()

        #expect(flow.handle(.found(order: "x", transaction: "1")) == [])
        #expect(flow.handle(.made(order: "x", transaction: "1")) == [])
        #expect(flow.handle(.uploaded(order: "o", transaction: "1")) == [])
        #expect(flow.handle(.answeredOf(transaction: "1", .orderAgain)) == [])
        #expect(flow.handle(.uploaded(order: "o", transaction: "unknown")) == [])
    }

    /// A backend that answers at random, loses calls and answers, and in the end grants; a phone that is restarted and loses its
    /// memory. No transaction is finished that this backend didn't name, and all are in the end.
    @Test(arguments: 0..<500 as Range<UInt64>)
    func nothingIsFinishedUnaskedAndNothingIsLost(seed: UInt64) {
        var world = RandomWorld(seed: seed)

        world.play()

        #expect(world.wrong == [], "seed \(seed)")
        #expect(world.finished == world.paid, "seed \(seed): \(world.paid.subtracting(world.finished))")
    }
}
