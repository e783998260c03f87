// SPDX-License-Identifier: Apache-2.0

import Testing
import Verification
import VerificationQueue

/// Attempts whose proof is a genuine transaction that doesn't name its environment, as all from before March 2022.
@Suite struct UnplacedTransactionTests {
    private static func verifier(
        _ transaction: Transaction, look: @escaping ScriptedVerifier.Look
    ) -> ScriptedVerifier {
        ScriptedVerifier(
            { _, _ throws(VerificationFailure) in
                throw VerificationFailure(
                    .needsAPerson, .unknownAnswer, message: "odd",
                    odd: OddProof(["environment is missing"], unplaced: OddProof.Unplaced(transaction)))
            }, look: look)
    }

    private static func settlement(_ job: Job, _ verifier: ScriptedVerifier) async -> Settlement {
        await AttemptRunner.sample(verifier, gates: Sample.gates()).attempt(job, deadline: .now + .seconds(60)).settlement
    }

    private static let job = Sample.job(proof: "eyJ 7", allowsSandbox: true)

    @Test(arguments: AppStoreEnvironment.allCases)
    func appleIsAskedWhereItIs(environment: AppStoreEnvironment) async {
        let verifier = Self.verifier(.sample(id: "7")) { id, asked throws(VerificationFailure) in
            asked == environment ? .known(.sample(id: id, environment: environment)) : .notFound
        }

        let settlement = await Self.settlement(Self.job, verifier)

        #expect(settlement.candidates.map(\.transaction.environment) == [environment])
        #expect(settlement.candidates.map(\.transaction.id.rawValue) == ["7"])
    }

    @Test
    func whatAppleDoesNotKnowIsLeftToAnOperator() async {
        let unknown = Self.verifier(.sample(id: "7")) { _, _ throws(VerificationFailure) in .notFound }
        let another = Self.verifier(.sample(id: "7")) { id, environment throws(VerificationFailure) in
            .known(.sample(id: id, original: "6", environment: environment))
        }

        #expect(await Self.settlement(Self.job, unknown).outcome == .review(.unknownAnswer, nil))
        #expect(await Self.settlement(Self.job, another).outcome == .review(.unknownAnswer, nil))
    }

    @Test
    func nobodyIsAskedAboutAnotherAppOrWhereThePolicyForbidsIt() async {
        var foreign = Transaction.sample(id: "7")
        foreign.bundleID = BundleID(rawValue: "com.example.other")
        let look: ScriptedVerifier.Look = { id, _ throws(VerificationFailure) in .known(.sample(id: id)) }
        let (ofAnother, local) = (Self.verifier(foreign, look: look), Self.verifier(.sample(id: "7"), look: look))

        let settlements = [
            await Self.settlement(Self.job, ofAnother),
            await Self.settlement(Sample.job(proof: "eyJ 7", policy: AppPolicy(receiptRoute: .localOnly)), local),
        ]

        #expect(settlements.map(\.outcome) == [.review(.unknownAnswer, nil), .review(.unknownAnswer, nil)])
        #expect(ofAnother.calls == [.local] && local.calls == [.local])
    }
}
