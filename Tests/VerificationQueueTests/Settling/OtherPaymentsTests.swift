// SPDX-License-Identifier: Apache-2.0

import Foundation
import Postgres
import Testing
import Verification

@testable import VerificationQueue

/// Payments that a proof shows beside those that may pay for its order: the ledger is asked about each before it is kept.
@Suite struct OtherPaymentsTests {
    /// What the ledger knows of payment "3", a product that is bought for good.
    enum Story: String, CaseIterable {
        case unheardOf, refunded, refundedInPart, boughtAgain, ofAnotherAccount, grantedToAnotherAccount

        /// State and reason of the kept payment.
        var kept: String {
            switch self {
            case .unheardOf: "unclaimed no_order"
            case .refunded: "taken_back refunded"
            case .refundedInPart: "unclaimed partly_refunded"
            case .boughtAgain: "unclaimed bought_again_after_revocation"
            // The refusal is the order's: the payment is that account's which its token names.
            case .ofAnotherAccount: "unclaimed no_order"
            case .grantedToAnotherAccount: "restored restored"
            }
        }
    }

    /// The end of the job whose receipt shows the payment, too.
    enum End: String, CaseIterable {
        case grant, missing, review

        var action: Settlement.Action {
            switch self {
            case .grant: .grantOne
            case .missing: .wait(.retry(after: .seconds(60)), .purchaseNotInReceipt, lane: nil)
            case .review: .end(.review(.unknownAnswer, nil))
            }
        }

        var candidates: [ShownPayment] {
            self == .grant ? [ShownPayment(.sample(id: "1"), isReceipt: true)] : []
        }

        /// Of the order.
        var state: OrderState {
            switch self {
            case .grant: .fulfilled
            case .missing: .open
            case .review: .review
            }
        }
    }

    private static func ago(_ seconds: TimeInterval) -> Date { Date(timeIntervalSinceNow: -seconds) }

    /// A receipt names no kinds.
    private static func other(original: String = "3", token: UUID? = nil) -> ShownPayment {
        ShownPayment(
            .sample(id: "3", original: original, product: "pro", kind: nil, purchased: ago(300), token: token), isReceipt: true)
    }

    /// - Parameter share: in thousandths of a percent.
    private func refund(_ id: String, secondsAgo: Double, share: Int32 = 100_000, _ queue: QueueFixture) async throws {
        try await queue.admin.execute(
            """
            insert into counterfoil.revocations (
                bundle_id, environment, transaction_id, original_transaction_id, kind, occurred_at, as_of, share)
            select '\(QueueFixture.bundle)', 'production', $1, $1, 'revocation', t.moment, t.moment, $3
            from (select now() - make_interval(secs => $2)) t (moment)
            """, [.text(id), .double(secondsAgo), .int4(share)])
    }

    /// - Returns: the payment as the receipt shows it.
    private func play(_ story: Story, _ queue: QueueFixture) async throws -> ShownPayment {
        switch story {
        case .unheardOf: return Self.other()
        case .refunded:
            try await refund("3", secondsAgo: 200, queue)
            return Self.other()
        case .refundedInPart:
            try await refund("3", secondsAgo: 200, share: 40_000, queue)
            return Self.other()
        case .boughtAgain:
            try await refund("2", secondsAgo: 400, queue)
            return Self.other(original: "2")
        case .ofAnotherAccount:
            let token = UUID()
            try await queue.place("bob's", account: "bob", token: token)
            return Self.other(token: token)
        case .grantedToAnotherAccount:
            try await queue.upload("bob's", account: "bob", product: "pro")
            try await queue.settle(.sample(id: "2", product: "pro", kind: .nonConsumable), for: "bob's")
            return Self.other(original: "2")
        }
    }

    private func kept(_ id: String, _ queue: QueueFixture) async throws -> String? {
        try await queue.text("select concat_ws(' ', state, reason) from counterfoil.payment_states where transaction_id = '\(id)'")
    }

    @Test(arguments: Story.allCases, End.allCases)
    func theyAreKeptByWhatTheLedgerKnows(_ story: Story, _ end: End) async throws {
        try await QueueFixture.run { queue in
            let other = try await play(story, queue)
            try await queue.submit("a", "MII")
            let job = try #require(try await queue.claim().first { $0.order.id.rawValue == "a" })

            let results = try await queue.settle(
                Settlement(
                    job, end.action, payments: .init(candidates: end.candidates, others: [other]), proofKind: .appReceipt,
                    missing: end == .missing))

            try #require(results.count == 1)
            #expect(try await kept("3", queue) == story.kept)
            #expect(try await queue.order("a").state == end.state)
        }
    }

    // MARK: A grant beside others

    @Test func onlyAPaymentThatIsShownAloneIsGrantedUnread() {
        func isLone(
            _ payments: [ShownPayment] = [Sample.candidate("1")], others: [ShownPayment] = [], revoked: [Transaction] = [],
            state: OrderState = .open
        ) -> Bool {
            Settlement(
                Sample.job(state: state), .grantOne,
                payments: .init(candidates: payments, others: others, revoked: revoked)
            ).isLoneGrant
        }

        #expect(isLone())
        #expect(!isLone(others: [Sample.candidate("2")]))
        #expect(!isLone([Sample.candidate("1"), Sample.candidate("2")]))
        #expect(!isLone(revoked: [.sample(id: "2", revoked: Date())]))
        #expect(!isLone([ShownPayment(.sample(id: "1", product: "gems"))]))
        #expect(!isLone([ShownPayment(.sample(id: "1", token: UUID()))]))
        #expect(!isLone(state: .cancelled))
    }

    /// What speaks against the grant, only another proof said. A lone payment is granted unread, unless the guard refuses it.
    @Test(arguments: [false, true])
    func whatOnlyAnotherProofSaidStandsAgainstTheGrant(besideOthers: Bool) async throws {
        try await QueueFixture.run { queue in
            var signed = Transaction.sample(id: "1")
            signed.isAdvancedCommerce = true
            try await queue.upload("first")
            try await queue.settle(signed, for: "first")
            try #require(try await queue.order("first") == OrderFacts(.review, .unsupportedYet, by: "1"))
            try await queue.submit("second", "MII")
            let job = try #require(try await queue.claim().first)

            _ = try await queue.settle(
                Settlement(
                    job, .grantOne,
                    payments: .init(
                        candidates: [ShownPayment(.sample(id: "1"), isReceipt: true)], others: besideOthers ? [Self.other()] : []),
                    proofKind: .appReceipt))

            #expect(try await queue.order("second") == OrderFacts(.review, .unsupportedYet, by: "1"))
            #expect(try await queue.count("counterfoil.grants") == 0)
            if besideOthers { #expect(try await kept("3", queue) == "unclaimed no_order") }
            #expect(try await queue.faults() == [])
        }
    }

    // MARK: A settlement that the database refuses

    /// The ledger may be what fails: what might pay is kept as it is, and nothing is read about it.
    @Test func whatIsPutOffIsKeptUnread() async throws {
        try await QueueFixture.run { queue in
            let bought = Transaction.sample(id: "3", original: "2", product: "pro", kind: .nonConsumable, purchased: Self.ago(300))
            try await refund("2", secondsAgo: 400, queue)
            try await queue.submit("a", "MII", product: "pro")
            let job = try #require(try await queue.claim().first)

            _ = try await queue.settle(
                Settlement(
                    job, .end(.review(.settlementRefused, bought.id)),
                    payments: [SettledPayment(ShownPayment(bought), .unclaimed(.settlementRefused))]))

            #expect(try await queue.order("a") == OrderFacts(.review, .settlementRefused, by: "3"))
            #expect(try await kept("3", queue) == "unclaimed settlement_refused")
        }
    }

    // MARK: Under which policy it fits

    /// A doubt is the payment's reason though its order is paid, and no new order is asked for.
    @Test(arguments: Story.allCases)
    func whatWouldPayForANewOrderIsKeptWithThePolicysNumber(_ story: Story) async throws {
        try await QueueFixture.run { queue in
            try await queue.admin.execute("update counterfoil.apps set purchase_time_tolerance = interval '20 minutes'")
            let number = try #require(try await queue.text("select policy_number from counterfoil.apps"))
            let other = try await play(story, queue)
            try await queue.upload("a")
            try await queue.settle(.sample(id: "1"), for: "a")
            try await queue.submit("a", "MII")
            let job = try #require(try await queue.claim().first)
            try #require(job.order.state == .fulfilled && job.policy.number == Int(number))

            _ = try await queue.settle(Settlement(job, .grantOne, payments: .init(candidates: [other]), proofKind: .appReceipt))

            let fitsUnder = try await queue.text("select fits_under from counterfoil.payments where transaction_id = '3'")
            #expect(fitsUnder == (story == .unheardOf ? number : nil))
            #expect(try await kept("3", queue) == (story == .unheardOf ? "unclaimed wrong_product" : story.kept))
            #expect(try await queue.order("a") == OrderFacts(.fulfilled, by: "1"))
        }
    }
}
