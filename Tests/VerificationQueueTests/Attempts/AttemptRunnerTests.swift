// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import TestSupport
import Testing
import Verification
import VerificationQueue

@Suite struct AttemptRunnerTests {
    private func attempt(
        _ job: Job, gates: GateCache = Sample.gates(), _ verifier: ScriptedVerifier = ScriptedVerifier()
    ) async -> Attempt {
        await AttemptRunner.sample(verifier, gates: gates).attempt(job, deadline: .now + .seconds(60))
    }

    @Test func aVerifiedPaymentIsPutToTheLedger() async throws {
        let attempt = await attempt(Sample.job(proof: "eyJ 1000"))

        #expect(attempt.settlement.candidates.map(\.transaction.id.rawValue) == ["1000"])
        #expect(attempt.settlement.ends)
        #expect(attempt.calls.map(\.lane) == [Sample.local])
    }

    @Test func aProofThatNobodyUnderstandsIsRejectedWithoutACall() async {
        let verifier = ScriptedVerifier()

        let attempt = await attempt(Sample.job(proof: "???"), verifier)

        #expect(attempt.settlement.outcome == .rejected(.malformedProof, nil))
        #expect(verifier.calls.isEmpty)
    }

    @Test func aReceiptInAnotherEncodingIsLeftToAnOperatorWithoutACall() async {
        let verifier = ScriptedVerifier()

        let attempt = await attempt(Sample.job(proof: "MIA"), verifier)

        #expect(attempt.settlement.outcome == .review(.unsupportedEncoding, nil))
        #expect(verifier.calls.isEmpty)
    }

    // MARK: Messages about the proof

    @Test func repairsOfAProofAreNamedInWhateverComesOfIt() async {
        let paid = await attempt(Sample.job(proof: "\"eyJ 1000"))
        let failed = await attempt(
            Sample.job(proof: "\"eyJ 1000"),
            ScriptedVerifier { _, _ throws(VerificationFailure) in
                throw VerificationFailure(.needsAPerson, .unknownAnswer, message: "odd")
            })
        let repeated = await attempt(
            Sample.job(proof: "\"eyJ 1000", state: .fulfilled, hintIsGranted: true, hint: "1000", sinceLastAttempt: 3_600))
        let untouched = await attempt(Sample.job(proof: "eyJ 1000"))

        #expect(paid.settlement.message == "repaired: json string")
        #expect(paid.settlement.candidates.count == 1)
        #expect(failed.settlement.message == "repaired: json string; odd")
        #expect(repeated.settlement.message == "repaired: json string")
        #expect(untouched.settlement.message == nil)
    }

    @Test func aMistakeThatIsKnownIsNamed() async {
        let named = await attempt(Sample.job(proof: "nil"))
        let unknown = await attempt(Sample.job(proof: "???"))

        #expect(named.settlement.outcome == .rejected(.malformedProof, nil))
        #expect(named.settlement.message == "the proof can't be read: no value")
        #expect(unknown.settlement.message == "the proof can't be read")
    }

    @Test(
        arguments: [(Reason.malformedProof, "an app transaction"), (.notAPurchase, "an app transaction"), (.badSignature, nil)]
            as [(Reason, String?)])
    func aMistakeIsNamedWhereAProofIsMalformedAndNotWhereItIsForged(reason: Reason, message: String?) async {
        let attempt = await attempt(
            Sample.job(proof: "eyJ app"), ScriptedVerifier { _, _ throws(VerificationFailure) in .refused(reason) })

        #expect(attempt.settlement.outcome == .rejected(reason, nil))
        #expect(attempt.settlement.message == message)
    }

    /// A signed transaction, a receipt and a bare id.
    @Test(arguments: ["eyJ", "MII", "1"])
    func anOwnershipThatIsNotDocumentedIsNamed(proof: String) async {
        func settlement(_ ownership: Transaction.Ownership) async -> Settlement {
            let shown = Transaction.sample(id: "1", ownership: ownership)
            let verifier = ScriptedVerifier(
                { _, _ throws(VerificationFailure) in .paid(shown, mayBeIncomplete: proof == "MII") },
                look: { _, _ throws(VerificationFailure) in .known(shown) })
            let job = Sample.job(
                proof: proof, lane: proof == "1" ? Sample.apiProduction : Sample.local, policy: AppPolicy(receiptRoute: .localOnly))
            return await attempt(job, verifier).settlement
        }
        let (unknown, assigned) = (await settlement(.unknown), await settlement(.assigned))

        #expect(unknown.outcome == .review(.unknownAnswer, nil))
        #expect(unknown.message?.contains("inAppOwnershipType") == true)
        #expect(assigned.message == nil)
    }

    @Test func aHintThatIsGrantedToTheOrderSettlesWithoutACall() async {
        let verifier = ScriptedVerifier()

        let attempt = await attempt(
            Sample.job(proof: "MII 1000", lane: Sample.production, hintIsGranted: true, hint: "1000"), verifier)

        #expect(attempt.settlement.outcome == .unchanged)
        #expect(verifier.calls.isEmpty)
    }

    @Test func aJobInTheWrongLaneIsHandedToTheRightOneUncounted() async {
        let verifier = ScriptedVerifier()

        let attempt = await attempt(Sample.job(proof: "MII 1000", lane: Sample.local), verifier)

        #expect(attempt.settlement.wait == .release)
        #expect(!attempt.settlement.counts)
        #expect(attempt.settlement.lane == Sample.production)
        #expect(verifier.calls.isEmpty)
    }

    @Test func productionIsAskedFirstAndSandboxWhenItSaysSo() async {
        let verifier = ScriptedVerifier { proof, endpoint throws(VerificationFailure) in
            endpoint.environment == .production ? .elsewhere(.sandbox) : .paid(.sample(id: "1", environment: .sandbox))
        }

        let attempt = await attempt(
            Sample.job(proof: "MII 1", lane: Sample.production, allowsSandbox: true), verifier)

        #expect(verifier.calls == [.verifyReceipt(.production), .verifyReceipt(.sandbox)])
        #expect(attempt.settlement.candidates.map(\.transaction.environment) == [.sandbox])
        #expect(attempt.calls.map(\.lane) == [Sample.production, Sample.sandbox])
    }

    @Test func aClosedGateOfTheOtherEnvironmentParksTheJobThere() async {
        let verifier = ScriptedVerifier { _, _ throws(VerificationFailure) in .elsewhere(.sandbox) }

        let attempt = await attempt(
            Sample.job(proof: "MII 1", lane: Sample.production), gates: Sample.gates(closed: Sample.sandbox), verifier)

        #expect(attempt.settlement.wait == .release)
        #expect(attempt.settlement.lane == Sample.sandbox)
        #expect(verifier.calls == [.verifyReceipt(.production)])
    }

    @Test func aJobInTheSandboxLaneStartsThere() async {
        let verifier = ScriptedVerifier()

        _ = await attempt(Sample.job(proof: "MII 1", lane: Sample.sandbox), verifier)

        #expect(verifier.calls == [.verifyReceipt(.sandbox)])
    }

    @Test func environmentsThatNameEachOtherAreNotFollowedForEver() async {
        let verifier = ScriptedVerifier { _, endpoint throws(VerificationFailure) in
            .elsewhere(endpoint.environment == .production ? .sandbox : .production)
        }

        let attempt = await attempt(Sample.job(proof: "MII 1", lane: Sample.production), verifier)

        #expect(verifier.calls.count == 2)
        #expect(attempt.settlement.reason == .unknownAnswer)
        guard case .retry = attempt.settlement.wait else {
            Issue.record("not retried but \(attempt.settlement.action)")
            return
        }
    }

    @Test func aFailureOfTheServiceIsRetriedAndCountedByTheBreaker() async {
        let verifier = ScriptedVerifier { _, _ throws(VerificationFailure) in
            throw VerificationFailure(.transient, .appStoreUnavailable, message: "HTTP 503")
        }

        let attempt = await attempt(Sample.job(proof: "MII 1", lane: Sample.production), verifier)

        #expect(attempt.settlement.counts)
        #expect(attempt.settlement.reason == .appStoreUnavailable)
        #expect(attempt.calls.map(\.result) == [.failed])
    }

    @Test func aFaultOfConfigurationCostsNoAttempt() async {
        let verifier = ScriptedVerifier { _, _ throws(VerificationFailure) in
            throw VerificationFailure(.configuration, .configuration, message: "the shared secret is wrong")
        }

        let attempt = await attempt(Sample.job(proof: "MII 1", lane: Sample.production), verifier)

        #expect(attempt.settlement.wait == .release)
        #expect(!attempt.settlement.counts)
        #expect(attempt.calls.map(\.result) == [.misconfigured("the shared secret is wrong")])
    }

    @Test func aReceiptWithoutThePurchaseIsLookedAtAgainUncounted() async {
        let verifier = ScriptedVerifier { _, _ throws(VerificationFailure) in
            .transactions(VerifiedTransactions([], mayBeIncomplete: true))
        }

        let attempt = await attempt(Sample.job(proof: "MII 1", lane: Sample.production), verifier)

        guard case .snooze = attempt.settlement.wait else {
            Issue.record("not snoozed but \(attempt.settlement.action)")
            return
        }
        #expect(attempt.settlement.reason == .purchaseNotInReceipt)
        #expect(attempt.settlement.missing)
    }

    /// Parked for days behind a closed gate, it was never looked at, or not since: nobody is refused by that.
    @Test(arguments: [
        (nil, 0, false), (60, 60, false), (25 * 3_600, 6 * 3_600, true), (25 * 3_600, 13 * 3_600, false),
    ] as [(TimeInterval?, TimeInterval, Bool)])
    func aReceiptWithoutThePurchaseIsGivenUpADayAfterTheFirstLook(
        missingTimes: TimeInterval?, lastCheck: TimeInterval, isRejected: Bool
    ) async {
        let verifier = ScriptedVerifier { _, _ throws(VerificationFailure) in
            .transactions(VerifiedTransactions([], mayBeIncomplete: true))
        }
        let job = Sample.job(proof: "MII 1", lane: Sample.production, missingTimes: missingTimes, lastCheck: lastCheck, age: 50 * 3_600)

        let attempt = await attempt(job, verifier)

        #expect(attempt.settlement.ends == isRejected)
        #expect(attempt.settlement.missing != isRejected)
        #expect(attempt.settlement.outcome == (isRejected ? .rejected(.purchaseNotInReceipt, nil) : .unchanged))
    }

    @Test func aReceiptWithoutThePurchaseOfAFulfilledOrderIsDone() async {
        let verifier = ScriptedVerifier { _, _ throws(VerificationFailure) in
            .transactions(VerifiedTransactions([], mayBeIncomplete: true))
        }

        let attempt = await attempt(
            Sample.job(proof: "MII 1", lane: Sample.production, state: .fulfilled), verifier)

        #expect(attempt.settlement.outcome == .unchanged)
        #expect(attempt.settlement.ends)
    }

    @Test func aCancelledAttemptIsReleased() async {
        let verifier = ScriptedVerifier { _, _ throws(VerificationFailure) in
            await untilCancelled()
            throw VerificationFailure(.transient, .appStoreUnavailable, message: "cancelled")
        }

        let running = Task { await self.attempt(Sample.job(proof: "MII 1", lane: Sample.production), verifier) }
        running.cancel()
        let cancelled = await running.value

        #expect(cancelled.settlement.wait == .release)
    }
}

extension AttemptRunner {
    /// With a rate limiter that grants everything, and a ledger that holds what `held` names for another order, and `revoked` as
    /// taken back half an hour ago.
    static func sample(
        _ verifier: ScriptedVerifier, gates: GateCache = Sample.gates(), held: Set<String> = [], revoked: Set<String> = [],
        standing: CredentialStanding = CredentialStanding(isAccepted: false), rateLimiter: RateLimiter = RateLimiter(tolerance: .seconds(60)) { count, _ in
            Reservation(firstCallIn: .zero, spacing: .zero, count: count)
        },
        callMetrics: CallMetrics = .unread,
        noteUnfound: @escaping @Sendable (TransactionID, CredentialUse) -> KeyStanding = { _, _ in
            KeyStanding(hasFound: true, unfoundAccounts: 0)
        }
    ) -> AttemptRunner {
        AttemptRunner(
            verifier: verifier, gates: gates, rateLimiter: rateLimiter, retry: RetryPolicy(), callMetrics: callMetrics,
            noteRefusal: { _, _ in standing },
            noteUnfound: { id, use, _ in noteUnfound(id, use) }
        ) { candidates, _ in
            candidates.map {
                let id = $0.transaction.id.rawValue
                return .sample(isHeld: held.contains(id), isRevoked: revoked.contains(id))
            }
        }
    }
}

extension LedgerFacts {
    fileprivate static func sample(isHeld: Bool, isRevoked: Bool) -> LedgerFacts {
        let holder = Holder(
            orderID: OrderID(rawValue: "other"), accountID: AccountID(rawValue: "ann"),
            transactionID: TransactionID(rawValue: "0"))
        let refund = Refund(asOf: Date().addingTimeInterval(-1_800), recordedAt: Date().addingTimeInterval(-1_800))
        return LedgerFacts(holder: isHeld ? holder : nil, refund: isRevoked ? refund : nil, orderState: .open)
    }
}
