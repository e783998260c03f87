// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Synchronization
import TestSupport
import Testing
import Verification
import VerificationQueue

/// Apple takes the key of the App Store Server API, and finds nothing by it.
@Suite struct ForeignKeyTests {
    private static let always = AppPolicy(allowsSandbox: true, confirmation: .ifOlderThan(0))
    private static let localThenAPI = AppPolicy(allowsSandbox: true, receiptRoute: .localThenAPI)

    private static let right = KeyStanding(hasFound: true, unfoundAccounts: 0)
    private static let unproven = KeyStanding(hasFound: false, unfoundAccounts: 2)
    private static let foreign = KeyStanding(hasFound: false, unfoundAccounts: 3)

    /// The transactions that were noted.
    private final class Notes: Sendable {
        private let noted = Mutex<[String]>([])
        var ids: [String] { noted.withLock { $0 } }
        func add(_ id: TransactionID) { noted.withLock { $0.append(id.rawValue) } }
    }

    private func attempt(
        _ job: Job, _ standing: KeyStanding, _ verifier: ScriptedVerifier = Self.nothingIsFound, gates: GateCache = Sample.gates(),
        notes: Notes = Notes()
    ) async -> Attempt {
        await AttemptRunner.sample(verifier, gates: gates) { id, _ in
            notes.add(id)
            return standing
        }.attempt(job, deadline: .now + .seconds(60))
    }

    private static var nothingIsFound: ScriptedVerifier {
        ScriptedVerifier(look: { _, _ throws(VerificationFailure) in .notFound })
    }

    @Test(arguments: ["eyJ 1000", "MII 1000"])
    func aKeyThatFindsNobodysPaymentClosesTheGateAndItsJobsWait(proof: String) async {
        let verifier = Self.nothingIsFound
        let policy = proof.hasPrefix("eyJ") ? Self.always : Self.localThenAPI

        let attempt = await attempt(Sample.job(proof: proof, lane: Sample.apiProduction, policy: policy), Self.foreign, verifier)

        #expect(attempt.settlement.wait == .snooze(for: .seconds(60)))
        #expect(attempt.settlement.reason == .configuration)
        #expect(attempt.settlement.lane == Sample.apiProduction)
        #expect(!attempt.settlement.counts)
        #expect(
            attempt.calls.map(\.lane) == [Sample.apiProduction]
                || attempt.calls.map(\.lane) == [Sample.local, Sample.apiProduction])
        #expect(attempt.calls.last?.result == .misconfigured(Self.foreign.message))
        // An operator may have replaced it.
        #expect(verifier.credentialReloads == 1)
    }

    @Test func theSandboxsGateClosesForTheSandboxsPayments() async {
        let verifier = ScriptedVerifier(
            { _, _ throws(VerificationFailure) in .paid(.sample(id: "1", environment: .sandbox)) },
            look: { _, _ throws(VerificationFailure) in .notFound })

        let attempt = await attempt(Sample.job(lane: Sample.apiProduction, policy: Self.always), Self.foreign, verifier)

        #expect(attempt.settlement.lane == Sample.apiSandbox)
        #expect(attempt.calls.last?.lane == Sample.apiSandbox)
        #expect(attempt.calls.last?.result == .misconfigured(Self.foreign.message))
    }

    /// In the lane of that gate, so that it waits for the gate once that closes. Where the policy sends receipts, too.
    @Test(arguments: [("eyJ 1000", always), ("MII 1000", localThenAPI)])
    func whileNobodyKnowsTheClientWaitsAndTheGateStaysOpen(proof: String, policy: AppPolicy) async {
        let attempt = await attempt(Sample.job(proof: proof, lane: Sample.apiProduction, policy: policy), Self.unproven)

        #expect(attempt.settlement.reason == .transactionNotFound)
        #expect(attempt.settlement.lane == Sample.apiProduction)
        #expect(!attempt.settlement.ends && !attempt.settlement.counts)
        #expect(attempt.calls.last?.result == .answered)
        #expect(attempt.settlement.others.map(\.transaction.id.rawValue) == ["1000"])
    }

    @Test func aPaymentThatARightKeyDoesNotFindIsMissingForItself() async {
        let attempt = await attempt(Sample.job(lane: Sample.apiProduction, policy: Self.always), Self.right)

        #expect(attempt.settlement.reason == .transactionNotFound)
        #expect(attempt.calls.last?.result == .answered)
    }

    /// Anybody can make them up.
    @Test func bareIDsAreNeverNoted() async {
        let notes = Notes()

        for number in 1...50 {
            let attempt = await attempt(
                Sample.job(proof: "\(number)", lane: Sample.apiProduction, policy: Self.always), Self.foreign, notes: notes)
            #expect(attempt.settlement.reason == .transactionNotFound)
            #expect(attempt.calls.allSatisfy { $0.result == .answered })
        }
        // Named beside a receipt that lacks it.
        let receipt = ScriptedVerifier(
            { _, _ throws(VerificationFailure) in .transactions(VerifiedTransactions([], mayBeIncomplete: true)) },
            look: { _, _ throws(VerificationFailure) in .notFound })
        _ = await attempt(
            Sample.job(proof: "MII 1", lane: Sample.apiProduction, hint: "77", policy: Self.localThenAPI), Self.foreign, receipt,
            notes: notes)

        #expect(notes.ids == [])
    }

    @Test func aForgedProofIsNeverNoted() async {
        let notes = Notes()
        let verifier = ScriptedVerifier(
            { _, _ throws(VerificationFailure) in .refused(.badSignature) }, look: { _, _ throws(VerificationFailure) in .notFound }
        )

        let attempt = await attempt(
            Sample.job(lane: Sample.apiProduction, policy: Self.always), Self.foreign, verifier, notes: notes)

        #expect(attempt.settlement.outcome == .rejected(.badSignature, nil))
        #expect(notes.ids == [])
    }

    /// It costs no statement.
    @Test func aKeyThatFoundSomethingInEitherEnvironmentIsNotAskedAbout() async {
        let notes = Notes()
        let gates = Sample.gates()
        let key = CredentialDigest(Array(repeating: 1, count: 32))
        gates.replace(
            with: gates.gates.map {
                Gate(
                    lane: $0.lane, bundleID: $0.bundleID, endpoint: $0.endpoint, closedBy: nil,
                    findingKey: $0.lane == Sample.apiSandbox ? key : nil)
            })

        _ = await attempt(Sample.job(lane: Sample.apiProduction, policy: Self.always), Self.foreign, gates: gates, notes: notes)

        #expect(notes.ids == [])
    }

    /// A receipt shows two purchases, and Apple finds one of them.
    @Test func aPaymentThatWasFoundInTheSameAttemptSpeaksForTheKey() async {
        let notes = Notes()
        let verifier = ScriptedVerifier(
            { _, _ throws(VerificationFailure) in .paid(.sample(id: "1"), .sample(id: "2"), mayBeIncomplete: true) },
            look: { id, _ throws(VerificationFailure) in id == "1" ? .known(.sample(id: id)) : .notFound })

        let attempt = await attempt(
            Sample.job(proof: "MII 1", lane: Sample.apiProduction, policy: Self.localThenAPI), Self.foreign, verifier, notes: notes)

        #expect(attempt.settlement.candidates.map(\.transaction.id.rawValue) == ["1"])
        #expect(attempt.calls.contains { $0.accepted?.finds == true })
    }
}
