// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Synchronization
import TestSupport
import Testing
import Verification

@testable import VerificationQueue

/// Apple refuses a secret or key: for this proof, for all, or nobody knows yet.
@Suite struct RefusedCredentialTests {
    private static let never = CredentialStanding(isAccepted: false)
    private static let unknown = CredentialStanding(isAccepted: true)
    private static let three = CredentialStanding(isAccepted: true, refusedOrders: 3, refusedFor: 2)
    private static let proofOnly = CredentialStanding(isAccepted: true, isAcceptedSince: true)

    private static let refused = VerificationFailure(.credentialRefused, .configuration, message: "21004")

    private func attempt(
        _ standing: CredentialStanding, claims: ReceiptClaims = ReceiptClaims(), uncertain: Int = 0,
        withoutSecret: @escaping @Sendable (String) throws(VerificationFailure) -> Evidence = { _ throws(VerificationFailure) in
            throw refused
        }
    ) async -> (attempt: Attempt, verifier: ScriptedVerifier) {
        let verifier = ScriptedVerifier(
            { proof, _ throws(VerificationFailure) in
                guard proof.hasSuffix(ScriptedVerifier.withoutSecret) else { throw Self.refused }
                return try withoutSecret(proof)
            }, claims: claims)
        let job = Sample.job(proof: "MII 1000", lane: Sample.production, uncertain: uncertain)
        let attempt = await AttemptRunner.sample(verifier, standing: standing).attempt(job, deadline: .now + .seconds(60))
        return (attempt, verifier)
    }

    @Test(arguments: [never, three])
    func aSecretThatIsRefusedForAllClosesTheGate(_ standing: CredentialStanding) async {
        let (attempt, verifier) = await attempt(standing)

        #expect(attempt.settlement.wait == .snooze(for: .seconds(60)))
        #expect(attempt.settlement.reason == .configuration)
        guard case .misconfigured(let why) = attempt.calls.last?.result else {
            Issue.record("the gate stays open")
            return
        }
        #expect(why.contains("renew it"))
        #expect(verifier.calls.count == 1)
    }

    /// Renewed it was: this worker hasn't learnt of it.
    @Test func aFormerSecretClosesTheGateAndIsNamedAsOne() async {
        let (attempt, _) = await attempt(CredentialStanding(isAccepted: false, isFormer: true))

        guard case .misconfigured(let why) = attempt.calls.last?.result else {
            Issue.record("the gate stays open")
            return
        }
        #expect(why.contains("a worker still has the former one") && !why.contains("never"), "\(why)")
    }

    @Test func whileNobodyKnowsTheJobWaitsAndTheGateStaysOpen() async {
        let (attempt, verifier) = await attempt(Self.unknown, claims: ReceiptClaims(holdsSubscription: false))

        #expect(!attempt.settlement.counts)
        #expect(!attempt.settlement.uncertain)
        #expect(attempt.settlement.reason == .credentialRefused)
        #expect(attempt.settlement.delay >= .seconds(54))
        #expect(attempt.calls.map(\.result) == [.credentialRefused])
        #expect(verifier.calls.count == 1)
        // An operator may have renewed it, and nobody probes an open gate.
        #expect(verifier.credentialReloads == 1)
    }

    @Test func aReceiptThatIsRefusedAloneIsCountedAndLeavesTheGateOpen() async {
        let (attempt, _) = await attempt(Self.proofOnly)

        #expect(attempt.settlement.counts)
        #expect(attempt.settlement.uncertain)
        #expect(attempt.settlement.reason == .credentialRefused)
        #expect(attempt.settlement.message?.contains("for this proof only") == true)
        #expect(attempt.calls.map(\.result) == [.credentialRefused])
    }

    @Test func inTheEndItIsLeftToAnOperatorWithTheJob() async {
        let (attempt, _) = await attempt(Self.proofOnly, uncertain: 7)

        #expect(attempt.settlement.isDiscarded)
        #expect(attempt.settlement.outcome == .review(.credentialRefused, nil))
    }

    // MARK: Without the secret

    @Test func aReceiptWithoutASubscriptionIsTriedOnceWithoutTheSecret() async {
        let (attempt, verifier) = await attempt(
            Self.proofOnly, claims: ReceiptClaims(holdsSubscription: false)
        ) { _ throws(VerificationFailure) in .paid(.sample(id: "1000"), mayBeIncomplete: true) }

        #expect(attempt.settlement.candidates.map(\.transaction.id.rawValue) == ["1000"])
        #expect(verifier.calls.count == 2)
        // It shows nothing about the secret.
        #expect(attempt.calls.allSatisfy { $0.accepted == nil })
    }

    @Test(arguments: [(true, 0), (false, 1)])
    func aSubscriptionNeedsItAndNoReceiptIsTriedTwice(holdsSubscription: Bool, uncertain: Int) async {
        let (attempt, verifier) = await attempt(
            Self.proofOnly, claims: ReceiptClaims(holdsSubscription: holdsSubscription), uncertain: uncertain
        ) { _ throws(VerificationFailure) in .paid(.sample(id: "1000"), mayBeIncomplete: true) }

        #expect(attempt.settlement.reason == .credentialRefused)
        #expect(verifier.calls.count == 1)
    }

    /// The same receipt, forged: Apple judges it without the secret as strictly.
    @Test func aForgedReceiptIsRefusedWithoutTheSecretAsWell() async {
        let (attempt, _) = await attempt(
            Self.proofOnly, claims: ReceiptClaims(holdsSubscription: false)
        ) { _ throws(VerificationFailure) in .refused(.notAuthentic) }

        #expect(attempt.settlement.outcome == .rejected(.notAuthentic, nil))
    }

    @Test func refusedWithoutTheSecretItGoesOnItsLongSchedule() async {
        let (attempt, verifier) = await attempt(Self.proofOnly, claims: ReceiptClaims(holdsSubscription: false))

        #expect(verifier.calls.count == 2)
        #expect(attempt.settlement.reason == .credentialRefused)
        #expect(attempt.settlement.delay >= .seconds(1_800))
    }

    // MARK: Another app's receipt

    @Test func aReceiptWhoseBytesNameAnotherAppIsNeverSent() async {
        let verifier = ScriptedVerifier(claims: ReceiptClaims(bundleID: BundleID(rawValue: "org.example.other")))
        let job = Sample.job(proof: "MII 1000", lane: Sample.production)

        let attempt = await AttemptRunner.sample(verifier).attempt(job, deadline: .now + .seconds(60))

        #expect(attempt.settlement.outcome == .rejected(.wrongApp, nil))
        #expect(verifier.calls.isEmpty)
        #expect(attempt.calls.isEmpty)
    }

    @Test(arguments: [nil, Sample.bundleID])
    func aReceiptOfOursOrOfNobodyKnowsWhomIsSent(_ bundleID: BundleID?) async {
        let verifier = ScriptedVerifier(claims: ReceiptClaims(bundleID: bundleID))
        let job = Sample.job(proof: "MII 1000", lane: Sample.production)

        let attempt = await AttemptRunner.sample(verifier).attempt(job, deadline: .now + .seconds(60))

        #expect(attempt.settlement.candidates.count == 1)
        #expect(verifier.calls == [.verifyReceipt(.production)])
    }

    // MARK: Acceptance

    @Test(arguments: [(nil, false), ("1", true)] as [(String?, Bool)])
    func anAuthenticReceiptShowsThatTheSecretIsRight(webOrder: String?, isNeeded: Bool) async {
        let verifier = ScriptedVerifier { _, _ throws(VerificationFailure) in
            .paid(.sample(id: "1000", webOrder: webOrder), mayBeIncomplete: true)
        }

        let attempt = await AttemptRunner.sample(verifier)
            .attempt(Sample.job(proof: "MII 1000", lane: Sample.production), deadline: .now + .seconds(60))

        #expect(attempt.calls.map(\.accepted?.isNeeded) == [isNeeded])
        #expect(attempt.calls.map(\.accepted?.lane) == [Sample.production])
    }

    @Test func aRefusedReceiptShowsNothingOfTheSecret() async {
        let verifier = ScriptedVerifier { _, _ throws(VerificationFailure) in .refused(.notAuthentic) }

        let attempt = await AttemptRunner.sample(verifier)
            .attempt(Sample.job(proof: "MII 1000", lane: Sample.production), deadline: .now + .seconds(60))

        #expect(attempt.calls.map(\.result) == [.answered])
        #expect(attempt.calls.allSatisfy { $0.accepted == nil })
    }

    // MARK: Keys

    private func lookUp(
        _ standing: CredentialStanding, _ production: TransactionInfo, _ sandbox: TransactionInfo
    ) async -> Attempt {
        let verifier = ScriptedVerifier(look: { _, environment throws(VerificationFailure) in
            environment == .production ? production : sandbox
        })
        return await AttemptRunner.sample(verifier, standing: standing)
            .attempt(Sample.job(proof: "12345", lane: Sample.apiProduction), deadline: .now + .seconds(60))
    }

    @Test func aKeyThatIsRefusedForOneIDLeavesTheGateOpen() async {
        let attempt = await lookUp(Self.unknown, .unauthorized, .unauthorized)

        #expect(!attempt.settlement.counts)
        #expect(attempt.settlement.reason == .credentialRefused)
        #expect(attempt.calls.map(\.result) == [.credentialRefused])
    }

    @Test func aKeyThatIsAcceptedForOthersCountsAgainstTheID() async {
        let attempt = await lookUp(Self.proofOnly, .unauthorized, .unauthorized)

        #expect(attempt.settlement.counts)
        #expect(attempt.settlement.reason == .credentialRefused)
    }

    @Test func aKeyThatTheSandboxRefusesForOneIDLeavesBothGatesOpen() async {
        let attempt = await lookUp(Self.unknown, .notFound, .unauthorized)

        #expect(attempt.calls.map(\.lane) == [Sample.apiProduction, Sample.apiSandbox])
        #expect(attempt.calls.map(\.result) == [.answered, .credentialRefused])
        // Handed back at once it would go round without end: the sandbox's gate is open.
        #expect(attempt.settlement.wait != .release)
        #expect(attempt.settlement.delay >= .seconds(54))
    }

    @Test func productionsRefusalThatTheSandboxDoesNotExplainIsNoAnswerToAProbe() async {
        let attempt = await lookUp(Self.never, .unauthorized, .notFound)

        #expect(attempt.calls.filter { $0.lane == Sample.apiProduction }.map(\.result) == [.credentialRefused])
        #expect(attempt.calls.filter { $0.lane == Sample.apiSandbox }.map(\.result) == [.answered])
    }

    @Test func ofAnAppThatIsNotReleasedItIs() async {
        let attempt = await lookUp(Self.never, .unauthorized, .known(.sample(id: "12345", environment: .sandbox)))

        let production = attempt.calls.filter { $0.lane == Sample.apiProduction }
        #expect(production.map(\.result) == [.answered])
        #expect(production.allSatisfy { $0.accepted != nil })
    }

    @Test func everyOtherAnswerShowsThatTheKeyIsRight() async {
        let attempt = await lookUp(Self.never, .notFound, .notFound)

        #expect(attempt.calls.map(\.accepted?.lane) == [Sample.apiProduction, Sample.apiSandbox])
    }
}
