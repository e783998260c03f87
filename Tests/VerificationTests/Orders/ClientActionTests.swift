// SPDX-License-Identifier: Apache-2.0

import Testing
import Verification

@Suite struct ClientActionTests {
    private func action(
        _ state: OrderState, _ reason: Reason? = nil, isPending: Bool = false, pendingReason: Reason? = nil
    ) -> ClientAction {
        Reason.clientAction(state: state, reason: reason, hasPendingJob: isPending, pendingReason: pendingReason)
    }

    @Test(arguments: [OrderState.fulfilled, .refunded], [Reason?.none, .purchaseNotInReceipt, .configuration])
    func paidOrderIsFinishedWhateverIsPending(_ state: OrderState, _ pendingReason: Reason?) {
        #expect(action(state) == .finish)
        #expect(action(state, .refunded, isPending: true, pendingReason: pendingReason) == .finish)
    }

    @Test(arguments: [OrderState.open, .rejected, .review, .cancelled], [Reason?.none] + Reason.allCases)
    func pendingJobIsWaitedForUnlessTheReceiptLacksThePurchase(_ state: OrderState, _ pendingReason: Reason?) {
        let expected: ClientAction = pendingReason == .purchaseNotInReceipt ? .resendProof : .wait

        #expect(action(state, .alreadyGranted, isPending: true, pendingReason: pendingReason) == expected)
    }

    @Test(arguments: [Reason?.none] + Reason.allCases)
    func openOrderWithoutAJobAsksForAProof(_ reason: Reason?) {
        #expect(action(.open, reason) == .resendProof)
    }

    @Test(arguments: [OrderState.review, .cancelled], [Reason?.none] + Reason.allCases)
    func reviewedOrCancelledOrderIsForAPerson(_ state: OrderState, _ reason: Reason?) {
        #expect(action(state, reason) == .contactSupport)
    }

    @Test(arguments: [Reason?.none] + Reason.allCases)
    func rejectedOrderIsToldByItsReason(_ reason: Reason?) {
        let expected: [Reason: ClientAction] = [
            .malformedProof: .resendProof, .purchaseNotInReceipt: .resendProof, .alreadyGranted: .finish,
            .alreadyOwned: .finish,
        ]

        #expect(action(.rejected, reason) == reason.flatMap { expected[$0] } ?? .contactSupport)
    }

    @Test func paymentOfAnotherAccountIsForAPerson() {
        #expect(action(.rejected, .grantedToAnotherAccount) == .contactSupport)
    }

    @Test func reasonOfAnEndedJobDoesNotCount() {
        #expect(action(.rejected, .wrongApp, pendingReason: .purchaseNotInReceipt) == .contactSupport)
    }

    @Test func actionsAreSpelledForPrograms() {
        #expect(ClientAction.allCases.map(\.rawValue) == ["wait", "finish", "resend_proof", "contact_support"])
    }
}
