// SPDX-License-Identifier: Apache-2.0

import Postgres
import TestSupport
import Testing
import Verification

@Suite struct ClientActionTests {
    /// An order with what is pending for it, and the action that the oracle gives its client.
    private struct Case {
        let state: OrderState
        let reason: Reason?
        /// No job; one that says nothing (`""`); one that waits for a reason.
        let pending: String?
        let action: ClientAction

        static let all: [Case] = {
            var all: [Case] = []
            for state in OrderState.allCases {
                for reason in [nil] + Reason.allCases.map(Optional.some) {
                    for pending in [nil, ""] + Reason.allCases.map({ Optional($0.rawValue) }) {
                        let action = Reason.clientAction(
                            state: state, reason: reason, hasPendingJob: pending != nil,
                            pendingReason: pending.flatMap(Reason.init(rawValue:))
                        )
                        all.append(Case(state: state, reason: reason, pending: pending, action: action))
                    }
                }
            }
            return all
        }()
    }

    /// The views answer as the oracle does, whatever an order and its job are.
    @Test func theDatabaseAnswersAsTheOracleDoes() async throws {
        try await Shop.open { shop in
            let cases = Case.all
            let actions = try await shop.admin.execute(
                """
                select counterfoil.client_action(c.state, c.reason, c.pending)
                from unnest($1::text[], $2::text[], $3::text[]) with ordinality as c (state, reason, pending, place)
                order by c.place
                """,
                [
                    .textArray(cases.map(\.state.rawValue)), .textArray(cases.map(\.reason?.rawValue)),
                    .textArray(cases.map(\.pending)),
                ]
            ).map { try $0.string(0) }

            try #require(actions.count == cases.count)
            let differences = zip(cases, actions).filter { $0.action.rawValue != $1 }
            #expect(differences.isEmpty)
        }
    }

    // MARK: The oracle

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
        #expect(action(.open, reason) == .uploadProof)
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
        #expect(ClientAction.allCases.map(\.rawValue) == ["wait", "finish", "upload_proof", "resend_proof", "order_again", "contact_support"])
    }
}

extension Reason {
    /// The oracle: what the client of an order does next. The first row that fits decides:
    ///
    /// | Order | Job pending | Action |
    /// |---|---|---|
    /// | fulfilled, refunded | either | finish |
    /// | any other | yes, and its receipt lacks the purchase | resend proof, while the job goes on |
    /// | any other | yes | wait |
    /// | open | no | upload proof |
    /// | review, cancelled | no | contact support |
    /// | rejected as malformed, or for a receipt that lacks the purchase | no | resend proof |
    /// | rejected as already granted or owned by the same account | no | finish |
    /// | rejected for any other reason | no | contact support |
    ///
    /// - Parameters:
    ///   - reason: of the order's state.
    ///   - pendingReason: why the pending job waits, if an attempt said so.
    fileprivate static func clientAction(
        state: OrderState, reason: Reason?, hasPendingJob: Bool, pendingReason: Reason?
    ) -> ClientAction {
        if state == .fulfilled || state == .refunded { return .finish }
        if hasPendingJob { return pendingReason == .purchaseNotInReceipt ? .resendProof : .wait }
        if state == .open { return .uploadProof }
        guard state == .rejected else { return .contactSupport }
        switch reason {
        case .malformedProof, .purchaseNotInReceipt: return .resendProof
        case .alreadyGranted, .alreadyOwned: return .finish
        default: return .contactSupport
        }
    }
}
