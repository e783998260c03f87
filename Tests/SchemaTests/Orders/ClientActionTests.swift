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

    /// The function answers as the oracle does, whatever an order and its job are.
    @Test func theFunctionAnswersAsTheOracleDoes() async throws {
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

    // MARK: The view

    /// Inserts the payments that orders showed: Ann's orders are of one `pro`.
    private func insertPayments(_ shop: Shop) async throws {
        for order in ["shown", "granted"] { try await shop.order(order) }
        try await shop.order("bob's", account: "bob")
        for payment in [
            Payment(id: "1", fitsUnder: 1), Payment(id: "2"),
            Payment(id: "3", product: "pro", kind: "non_consumable", fitsUnder: 1),
        ] {
            try await shop.insertUnclaimed([("shown", payment)], reason: "order_cancelled")
        }
        try #require(try await shop.insertGrant("granted", Payment(id: "4")))
        try #require(try await shop.insertGrant("bob's", Payment(id: "5")))
    }

    /// Inserts an order a case with its attempt and its job, under the case's place as its id.
    private func insertOrders(_ cases: [ViewCase], _ shop: Shop) async throws {
        let parameters: [PostgresParameter] = [
            .textArray(cases.map(\.state.rawValue)), .textArray(cases.map(\.reason?.rawValue)), .textArray(cases.map(\.pending)),
            .textArray(cases.map(\.history.transaction)), .boolArray(cases.map { $0.history == .unreadableUploads }),
        ]
        let rows = """
            unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::boolean[])
                with ordinality as c (state, reason, pending, transaction_id, is_unreadable, place)
            """
        // Of an order that is paid, its own payment counts.
        _ = try await shop.admin.execute(
            """
            insert into counterfoil.orders (
                order_id, bundle_id, product_id, account_id, state, reason, transaction_id, environment, fulfilled_at, attempts,
                last_attempt_at
            )
            select
                c.place, '\(Shop.bundle)', 'pro', 'ann', c.state, c.reason, t.id, case when t.id is not null then 'production' end,
                now(), case when c.is_unreadable then 201 else 1 end, now()
            from \(rows)
            cross join lateral (
                select coalesce(c.transaction_id, case when c.state in ('fulfilled', 'refunded') then '9' end) as id
            ) t
            """, parameters)
        _ = try await shop.admin.execute(
            """
            insert into counterfoil.other_attempts (
                job_id, order_number, lease_token, attempt, disposition, reason, transaction_id, submitted_at, claimed_at
            )
            select c.place, o.number, 1, 1, 'complete', c.reason, c.transaction_id, now(), now()
            from \(rows)
            join counterfoil.orders o on o.order_id = c.place::text
            """, parameters)
        _ = try await shop.admin.execute(
            """
            insert into counterfoil.jobs (order_id, proof, reason)
            select c.place, 'eyJ', nullif(c.pending, '')
            from \(rows)
            where c.pending is not null
            """, parameters)
        try await shop.run("analyze counterfoil.orders; analyze counterfoil.jobs; analyze counterfoil.other_attempts")
    }

    /// A backend reads of each order what the oracle says, and no payment to order again of an order that has none.
    @Test(.timeLimit(.minutes(3)))
    func theViewAnswersAsTheOracleDoes() async throws {
        try await Shop.open { shop in
            let cases = ViewCase.all
            try await insertPayments(shop)
            try await insertOrders(cases, shop)

            let answers = try await shop.backend.execute(
                """
                select s.client_action, s.order_again_transaction_id
                from generate_series(1, $1::integer) as c (place)
                join counterfoil.order_status s on s.order_id = c.place::text
                order by c.place
                """, [.int4(Int32(cases.count))]
            ).map { (action: try $0.string(0), transaction: try $0.optionalString(1)) }

            try #require(answers.count == cases.count)
            #expect(Set(cases.map(\.action)) == Set(ClientAction.allCases))
            let differences = zip(cases, answers).filter { one, answer in
                one.action.rawValue != answer.action
                    || answer.transaction != (one.action == .orderAgain ? one.history.transaction : nil)
            }.map { "\($0.0), and the view says \($0.1)" }
            #expect(differences == [])
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
            .malformedProof: .resendProof, .notAPurchase: .resendProof, .purchaseNotInReceipt: .resendProof,
            .alreadyGranted: .finish, .alreadyOwned: .finish, .familyShared: .finish, .assignedSeat: .finish,
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

/// An order of one `pro` of Ann's with what it showed and what is pending for it.
private struct ViewCase {
    /// What the order's uploads showed.
    enum History: CaseIterable {
        case nothing
        /// So often that another upload is no help.
        case unreadableUploads
        /// A payment that fits a new order, of another product than the order's.
        case fitting
        case fittingNone
        /// A payment that fits a new order like this one.
        case fittingTheSame
        case grantedToTheAccount
        case grantedToAnotherAccount

        var transaction: String? {
            switch self {
            case .nothing, .unreadableUploads: nil
            case .fitting: "1"
            case .fittingNone: "2"
            case .fittingTheSame: "3"
            case .grantedToTheAccount: "4"
            case .grantedToAnotherAccount: "5"
            }
        }
    }

    let state: OrderState
    let reason: Reason?
    /// As of ``ClientActionTests``' cases.
    let pending: String?
    let history: History

    static let all: [ViewCase] = {
        var all: [ViewCase] = []
        let pendings: [String?] = [nil, "", Reason.purchaseNotInReceipt.rawValue, Reason.configuration.rawValue]
        for state in OrderState.allCases {
            for reason in [nil] + Reason.allCases.map(Optional.some) {
                // A closed order has a reason.
                if reason == nil, state != .open, state != .fulfilled { continue }
                for pending in pendings {
                    for history in History.allCases {
                        all.append(ViewCase(state: state, reason: reason, pending: pending, history: history))
                    }
                }
            }
        }
        return all
    }()

    /// The oracle: as ``Reason/clientAction(state:reason:hasPendingJob:pendingReason:)``, but for an order without a pending job:
    ///
    /// | Order | Its uploads showed | Action |
    /// |---|---|---|
    /// | rejected as malformed, or as no purchase | nothing, too often | contact support |
    /// | review, cancelled | a payment that another order of the account was granted | finish |
    /// | cancelled | a payment that fits a new order | order again |
    /// | review | a payment that fits a new order of another product or quantity | order again |
    var action: ClientAction {
        let usual = Reason.clientAction(
            state: state, reason: reason, hasPendingJob: pending != nil, pendingReason: pending.flatMap(Reason.init(rawValue:)))
        guard pending == nil else { return usual }
        switch (state, history) {
        case (.rejected, .unreadableUploads) where reason == .malformedProof || reason == .notAPurchase: return .contactSupport
        case (.review, .grantedToTheAccount), (.cancelled, .grantedToTheAccount): return .finish
        case (.review, .fitting), (.cancelled, .fitting), (.cancelled, .fittingTheSame): return .orderAgain
        default: return usual
        }
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
    /// | rejected as malformed, as no purchase, or for a receipt that lacks the purchase | no | resend proof |
    /// | rejected as already granted or owned by the same account | no | finish |
    /// | rejected as a family member's, or as a seat's | no | finish |
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
        case .malformedProof, .notAPurchase, .purchaseNotInReceipt: return .resendProof
        case .alreadyGranted, .alreadyOwned, .familyShared, .assignedSeat: return .finish
        default: return .contactSupport
        }
    }
}
