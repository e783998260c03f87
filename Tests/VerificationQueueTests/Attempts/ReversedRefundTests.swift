// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Testing
import Verification
import VerificationQueue

/// A proof of a payment that the ledger has as refunded, which shows that Apple gave it back.
@Suite struct ReversedRefundTests {
    private static let withKey = AppPolicy(confirmation: .ifOlderThan(3_600))

    /// An unrefunded transaction, bought an hour ago and signed at this number of seconds from now.
    private static func signed(_ seconds: TimeInterval, _ transaction: Transaction? = nil) -> ScriptedVerifier {
        let transaction = transaction ?? bought(3_600)
        return ScriptedVerifier(
            { _, _ throws(VerificationFailure) in
                .transactions(
                    VerifiedTransactions([transaction], mayBeIncomplete: false, signedAt: Date().addingTimeInterval(seconds)))
            }, look: { _, _ throws(VerificationFailure) in .known(bought(3_600)) })
    }

    private static func bought(_ age: TimeInterval, revoked: Date? = nil) -> Transaction {
        .sample(id: "1000", purchased: Date().addingTimeInterval(-age), revoked: revoked)
    }

    private func attempt(_ job: Job, _ verifier: ScriptedVerifier, revoked: Set<String> = []) async -> Attempt {
        await AttemptRunner.sample(verifier, revoked: revoked).attempt(job, deadline: .now + .seconds(60))
    }

    private func asksApple(_ verifier: ScriptedVerifier, policy: AppPolicy = withKey, revoked: Set<String> = ["1000"]) async -> Bool {
        _ = await attempt(Sample.job(age: 7_200, policy: policy), verifier, revoked: revoked)
        return verifier.calls.contains(.serverAPI(.production))
    }

    /// The sample's ledger learnt of the refund half an hour ago.
    @Test func appleIsAskedWhereTheProofIsNewerThanTheRefund() async {
        #expect(await asksApple(Self.signed(-60)))
        #expect(await !asksApple(Self.signed(-2_000)))
        #expect(await !asksApple(Self.signed(-60), revoked: []))
        #expect(await !asksApple(Self.signed(-60), policy: AppPolicy()))
    }

    @Test func whatWasJustBoughtIsNotLookedUpInTheLedger() async {
        let soonest = AttemptRunner.soonestReversal
        #expect(soonest == 60)
        #expect(await !asksApple(Self.signed(-60, Self.bought(60 + soonest - 1))))
        #expect(await asksApple(Self.signed(-60, Self.bought(60 + soonest + 1))))
    }

    @Test func anOldSignatureOfARefundIsAskedOfApple() async {
        let verifier = Self.signed(-4_000, Self.bought(9_000, revoked: Date().addingTimeInterval(-4_000)))

        let attempt = await attempt(Sample.job(age: 10_000, policy: Self.withKey), verifier)

        #expect(verifier.calls == [.local, .serverAPI(.production)])
        #expect(attempt.settlement.revoked.isEmpty)
        #expect(attempt.settlement.heaviestObjections == [nil])
    }

    @Test func anOldRefundThatAppleDoesNotKnowCounts() async {
        let refunded = Self.bought(9_000, revoked: Date().addingTimeInterval(-4_000))
        let verifier = ScriptedVerifier(
            { _, _ throws(VerificationFailure) in
                .transactions(
                    VerifiedTransactions([refunded], mayBeIncomplete: false, signedAt: Date().addingTimeInterval(-4_000)))
            }, look: { _, _ throws(VerificationFailure) in .notFound })

        let attempt = await attempt(Sample.job(age: 10_000, policy: Self.withKey), verifier)

        #expect(attempt.settlement.revoked.map(\.id.rawValue) == ["1000"])
        #expect(attempt.settlement.heaviestObjections == [.refunded])
    }

    @Test func aNewSignatureOfARefundIsBelieved() async {
        let verifier = Self.signed(-60, Self.bought(9_000, revoked: Date().addingTimeInterval(-4_000)))

        let attempt = await attempt(Sample.job(age: 10_000, policy: Self.withKey), verifier)

        #expect(verifier.calls == [.local])
        #expect(attempt.settlement.revoked.count == 1)
    }

    // MARK: With the ledger

    /// A refund of payment 1000 that the ledger learnt of this long ago.
    private func insertRefund(_ queue: QueueFixture, age: String = "1 hour", recorded: String = "1 hour") async throws {
        try await queue.admin.execute(
            """
            insert into counterfoil.revocations (
                bundle_id, environment, transaction_id, original_transaction_id, kind, occurred_at, as_of, recorded_at, share)
            values (
                '\(QueueFixture.bundle)', 'production', '1000', '1000', 'revocation', now() - interval '\(age)', now() - interval '\(age)',
                now() - interval '\(recorded)', 100000)
            """)
    }

    private func settle(_ queue: QueueFixture, order: String, isConfirmed: Bool, signedAt: Date? = nil) async throws {
        try await queue.submit(order, "eyJ \(order)")
        let job = try #require(try await queue.claim().first)
        let candidate = ShownPayment(Self.bought(1), isConfirmed: isConfirmed, signedAt: signedAt)
        _ = try await queue.settle(Settlement(job, .grantOne, payments: .init(candidates: [candidate])))
    }

    @Test func whatAppleGaveBackIsGranted() async throws {
        try await QueueFixture.run { queue in
            try await insertRefund(queue)

            try await settle(queue, order: "a", isConfirmed: true)

            #expect(try await queue.order("a") == OrderFacts(.fulfilled, by: "1000"))
            #expect(try await queue.count("counterfoil.revocations where kind = 'reversal'") == 1)
            #expect(try await queue.faults() == [])
        }
    }

    @Test(arguments: [("9 minutes", "9 minutes"), ("1 hour", "-1 hour")])
    func whatAppleMayNotKnowYetIsLeftToAPerson(age: String, recorded: String) async throws {
        try await QueueFixture.run { queue in
            try await insertRefund(queue, age: age, recorded: recorded)

            try await settle(queue, order: "a", isConfirmed: true)

            #expect(try await queue.order("a") == OrderFacts(.review, .refundReversed, by: "1000"))
            #expect(try await queue.count("counterfoil.revocations where kind = 'reversal'") == 0)
        }
    }

    @Test func aNewerProofOfAnAppWithoutAKeyIsLeftToAPerson() async throws {
        try await QueueFixture.run { queue in
            try await insertRefund(queue)

            try await settle(queue, order: "a", isConfirmed: false, signedAt: Date())
            try await settle(queue, order: "b", isConfirmed: false, signedAt: Date().addingTimeInterval(-7_200))

            #expect(try await queue.order("a") == OrderFacts(.review, .refundReversed, by: "1000"))
            #expect(try await queue.order("b") == OrderFacts(.refunded, .refunded, by: "1000"))
            #expect(try await queue.count("counterfoil.revocations where kind = 'reversal'") == 0)
        }
    }

    /// Its refund is recorded under another name of the payment: what Apple says of this name doesn't reverse that.
    @Test func aRefundOfAnotherNameStands() async throws {
        try await QueueFixture.run { queue in
            try await insertRefund(queue)
            try await queue.submit("a", "eyJ a", product: "pro")
            let job = try #require(try await queue.claim().first)
            let again = Transaction.sample(
                id: "2", original: "1000", product: "pro", kind: .nonConsumable, purchased: Date().addingTimeInterval(-7_200))

            _ = try await queue.settle(Settlement(
                job, .grantOne, payments: .init(candidates: [ShownPayment(again, isConfirmed: true)])))

            #expect(try await queue.order("a") == OrderFacts(.review, .refundReversed, by: "2"))
            #expect(try await queue.count("counterfoil.revocations where kind = 'reversal'") == 0)
        }
    }

    /// From the upload that names the payment to the order that has it back.
    @Test func anOrderGetsItsPaymentBackByAnUpload() async throws {
        try await QueueFixture.run { queue in
            try await queue.admin.execute("update counterfoil.apps set confirm_after = interval '1 hour'")
            try await settle(queue, order: "a", isConfirmed: false)
            try await insertRefund(queue)
            try await queue.admin.execute(
                """
                update counterfoil.orders
                set state = 'refunded', reason = 'refunded', last_attempt_at = last_attempt_at - interval '1 minute'
                """)
            let runner = AttemptRunner.sample(Self.signed(-60), revoked: ["1000"])

            try await queue.submit("a", "eyJ 1000", hint: "1000")
            let job = try #require(try await queue.claim().first)
            #expect(job.work.upload?.hintIsGranted == true)
            let attempt = await runner.attempt(job, deadline: .now + .seconds(60))
            _ = try await queue.settle(attempt.settlement)

            #expect(try await queue.order("a") == OrderFacts(.fulfilled, by: "1000"))
            #expect(try await queue.faults() == [])
        }
    }
}
