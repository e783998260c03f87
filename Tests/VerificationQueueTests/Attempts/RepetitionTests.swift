// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Testing
import Verification
import VerificationQueue

/// Uploads that name the payment which their order was granted.
@Suite struct RepetitionTests {
    private static func refunded(_ share: Revocation.Share = .whole, product: String = "coins") -> Transaction {
        var transaction = Transaction.sample(id: "1000", product: product)
        transaction.revocation = Revocation(.signedTransaction, date: Date(), share: share, asOf: Date())
        return transaction
    }

    private func attempt(
        _ proof: String = "eyJ 1000", lane: LaneID = Sample.local, sinceLastAttempt: TimeInterval? = 3_600,
        policy: AppPolicy? = nil,
        _ answer: @escaping ScriptedVerifier.Answer
    ) async -> (attempt: Attempt, asked: [Endpoint]) {
        let verifier = ScriptedVerifier(answer)
        let job = Sample.job(
            proof: proof, lane: lane, state: .fulfilled, hintIsGranted: true, hint: "1000", sinceLastAttempt: sinceLastAttempt,
            policy: policy)
        return (await AttemptRunner.sample(verifier).attempt(job, deadline: .now + .seconds(60)), verifier.calls)
    }

    private func expectNothing(of settlement: Settlement, sourceLocation: SourceLocation = #_sourceLocation) {
        #expect(settlement.outcome == .unchanged, sourceLocation: sourceLocation)
        #expect(settlement.ends, sourceLocation: sourceLocation)
        #expect(settlement.payments.isEmpty, sourceLocation: sourceLocation)
    }

    @Test(arguments: [Revocation.Share.whole, .part(40_000), .unknown])
    func refundIsRecordedAndNothingElse(_ share: Revocation.Share) async {
        let (attempt, _) = await attempt { _, _ throws(VerificationFailure) in .paid(Self.refunded(share)) }

        #expect(attempt.settlement.revoked.map(\.id.rawValue) == ["1000"])
        #expect(attempt.settlement.revoked.map(\.revocation?.share) == [share])
        #expect(attempt.settlement.outcome == .unchanged)
        #expect(attempt.settlement.ends)
        #expect(attempt.settlement.candidates.isEmpty && attempt.settlement.others.isEmpty)
    }

    @Test(arguments: ["coins", "gold"])
    func paymentThatStandsChangesNothing(_ product: String) async {
        let (attempt, asked) = await attempt { _, _ throws(VerificationFailure) in .paid(.sample(id: "1000", product: product)) }

        expectNothing(of: attempt.settlement)
        #expect(asked == [.local])
    }

    /// The lane and the policy would have Apple asked about another upload.
    @Test func appleIsNotAskedAboutAPaymentThatStands() async {
        let (attempt, asked) = await attempt(
            lane: Sample.apiProduction, policy: AppPolicy(receiptRoute: .localThenAPI, confirmation: .ifOlderThan(0))
        ) { _, _ throws(VerificationFailure) in .paid(.sample(id: "1000")) }

        expectNothing(of: attempt.settlement)
        #expect(asked == [.local])
        #expect(attempt.calls.isEmpty)
    }

    @Test(arguments: [(59.0, false), (61.0, true)])
    func appleIsAskedAboutARefundByAnOldSignature(age: TimeInterval, isAsked: Bool) async {
        let signedAt = Date().addingTimeInterval(-age)
        let (attempt, asked) = await attempt(lane: Sample.apiProduction, policy: AppPolicy(confirmation: .ifOlderThan(60))) {
            _, _ throws(VerificationFailure) in
            .transactions(VerifiedTransactions([Self.refunded()], mayBeIncomplete: false, signedAt: signedAt))
        }

        #expect(asked.contains(.serverAPI(.production)) == isAsked)
        // The default look-up knows of no refund.
        #expect(attempt.settlement.revoked.isEmpty == isAsked)
    }

    @Test func forgedProofRejectsNothing() async {
        let (attempt, asked) = await attempt { _, _ throws(VerificationFailure) in .refused(.badSignature) }

        expectNothing(of: attempt.settlement)
        #expect(asked == [.local])
    }

    @Test func proofThatCannotBeVerifiedChangesNothing() async {
        let (attempt, _) = await attempt { _, _ throws(VerificationFailure) in
            throw VerificationFailure(.configuration, .configuration, message: "no anchors")
        }

        expectNothing(of: attempt.settlement)
        #expect(attempt.calls.isEmpty)
    }

    /// A receipt shows refunds of others too, and takes longer to read; an id shows nothing without a call.
    @Test(arguments: ["MII 1000", "1000", "???"])
    func onlySignedTransactionsAreRead(_ proof: String) async {
        let (attempt, asked) = await attempt(proof) { _, _ throws(VerificationFailure) in .paid(Self.refunded()) }

        expectNothing(of: attempt.settlement)
        #expect(asked.isEmpty)
    }

    /// A claim of a refund costs one look a minute, for some minutes.
    @Test(arguments: [(1, false), (299, false), (301, true)] as [(TimeInterval, Bool)])
    func secondUploadOfAMinuteThatClaimsARefundWaitsForTheNextOne(age: TimeInterval, ends: Bool) async {
        let verifier = ScriptedVerifier(claims: ReceiptClaims(showsRefund: true))
        let job = Sample.job(age: age, state: .fulfilled, hintIsGranted: true, hint: "1000", sinceLastAttempt: 0)

        let settlement = await AttemptRunner.sample(verifier).attempt(job, deadline: .now + .seconds(60)).settlement

        #expect(settlement.ends == ends)
        #expect(verifier.calls.isEmpty)
        guard case .snooze(let delay) = settlement.wait else { return }
        #expect(delay > .zero && delay <= .seconds(61))
    }

    @Test func secondUploadOfAMinuteIsNotRead() async {
        let (attempt, asked) = await attempt(sinceLastAttempt: 0) { _, _ throws(VerificationFailure) in .paid(Self.refunded()) }

        expectNothing(of: attempt.settlement)
        #expect(asked.isEmpty)
        #expect(AttemptRunner.repetitionPeriod == 60)
    }

    // MARK: With the ledger

    /// Settles each uploaded proof in turn, as a worker does.
    private func upload(
        _ count: Int = 1, to queue: QueueFixture, _ verifier: ScriptedVerifier
    ) async throws {
        let runner = AttemptRunner.sample(verifier)
        for _ in 0..<count {
            try await queue.submit("a", "eyJ 1000", hint: "1000")
            let job = try #require(try await queue.claim().first)
            #expect(job.work.upload?.hintIsGranted == true)
            _ = try await queue.settle(await runner.attempt(job, deadline: .now + .seconds(60)).settlement)
        }
    }

    private func grant(in queue: QueueFixture) async throws {
        try await queue.submit("a", "eyJ 1000")
        let job = try #require(try await queue.claim().first)
        _ = try await queue.settle(Settlement(job, .grantOne, payments: .init(candidates: [Sample.candidate("1000")])))
    }

    private func passMinute(in queue: QueueFixture) async throws {
        try await queue.admin.execute("update counterfoil.orders set last_attempt_at = last_attempt_at - interval '1 minute'")
    }

    @Test func refundInARepetitionMovesTheOrder() async throws {
        try await QueueFixture.run { queue in
            try await grant(in: queue)
            let verifier = ScriptedVerifier { _, _ throws(VerificationFailure) in .paid(Self.refunded()) }

            try await upload(to: queue, verifier)

            #expect(try await queue.order("a") == OrderFacts(.refunded, .refunded, by: "1000"))
            #expect(try await queue.count("counterfoil.revocations") == 1)
            #expect(try await queue.faults().isEmpty)
        }
    }

    /// The payment that stands was read in this minute: the refund is read in the next one, and a forged one then changes nothing.
    @Test(arguments: [(true, OrderState.refunded), (false, .fulfilled)])
    func refundInTheMinuteOfAnotherRepetitionIsReadInTheNextOne(isGenuine: Bool, state: OrderState) async throws {
        try await QueueFixture.run { queue in
            try await grant(in: queue)
            try await upload(to: queue, ScriptedVerifier())
            let verifier = ScriptedVerifier(
                { _, _ throws(VerificationFailure) in isGenuine ? .paid(Self.refunded()) : .refused(.badSignature) },
                claims: ReceiptClaims(showsRefund: true))

            try await upload(to: queue, verifier)
            let isWaiting = try await queue.count("counterfoil.jobs where state = 'available' and run_at > now()") == 1
            // Another minute may have begun.
            try #require(isWaiting || !verifier.calls.isEmpty)
            try await passMinute(in: queue)
            try await queue.admin.execute("update counterfoil.jobs set run_at = now()")
            for job in try await queue.claim() {
                _ = try await queue.settle(
                    await AttemptRunner.sample(verifier).attempt(job, deadline: .now + .seconds(60)).settlement)
            }

            #expect(verifier.calls == [.local])
            #expect(try await queue.order("a").state == state)
            #expect(try await queue.count("counterfoil.jobs") == 0)
        }
    }

    /// An older copy of the transaction, or one that Apple signed by mistake after the refund.
    @Test func repetitionReversesNoRefund() async throws {
        try await QueueFixture.run { queue in
            try await grant(in: queue)
            try await upload(to: queue, ScriptedVerifier { _, _ throws(VerificationFailure) in .paid(Self.refunded()) })
            try await passMinute(in: queue)

            try await upload(to: queue, ScriptedVerifier())

            #expect(try await queue.order("a") == OrderFacts(.refunded, .refunded, by: "1000"))
            #expect(try await queue.count("counterfoil.revocations") == 1)
        }
    }

    @Test func ofAHundredRepetitionsOneIsRead() async throws {
        try await QueueFixture.run { queue in
            try await grant(in: queue)
            let verifier = ScriptedVerifier()

            try await upload(100, to: queue, verifier)

            // Another minute may begin meanwhile.
            #expect((1...2).contains(verifier.calls.count))
            #expect(try await queue.order("a") == OrderFacts(.fulfilled, by: "1000"))
        }
    }
}
