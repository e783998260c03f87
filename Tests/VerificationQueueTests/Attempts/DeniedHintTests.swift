// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import TestSupport
import Testing
import Verification
import VerificationQueue

/// A client names an id beside a good receipt, and Apple denies that there is such a transaction.
@Suite struct DeniedHintTests {
    /// A receipt shows purchase 1; the client names 2.
    private func attempt(
        _ answer: TransactionInfo, shows: [Transaction] = [.sample(id: "1")], held: Set<String> = [], revoked: Set<String> = [],
        confirms: @escaping @Sendable (String) -> TransactionInfo = { .known(.sample(id: $0)) }, hint: String? = "2"
    ) async -> Attempt {
        let verifier = ScriptedVerifier(
            { _, _ throws(VerificationFailure) in .transactions(VerifiedTransactions(shows, mayBeIncomplete: true)) },
            look: { id, _ throws(VerificationFailure) in id == "2" ? answer : confirms(id) })
        let job = Sample.job(
            proof: "MII", lane: Sample.apiProduction, hint: hint, policy: AppPolicy(receiptRoute: .localThenAPI))
        return await AttemptRunner.sample(verifier, held: held, revoked: revoked).attempt(job, deadline: .now + .seconds(60))
    }

    @Test(arguments: [TransactionInfo.notFound, .refused(.malformedProof)])
    func thePurchaseThatNobodyClaimedIsGrantedAtOnce(_ answer: TransactionInfo) async {
        let attempt = await attempt(answer)

        #expect(attempt.settlement.candidates.map(\.transaction.id.rawValue) == ["1"])
    }

    @Test func nothingIsGrantedThatAppleDoesNotConfirm() async {
        let attempt = await attempt(.notFound, confirms: { _ in .notFound })

        #expect(attempt.settlement.candidates.isEmpty)
        #expect(attempt.settlement.reason == .purchaseNotInReceipt)
    }

    /// Apple may know the id a moment later: the order isn't ended by another purchase.
    @Test func aPurchaseThatIsAnotherOrdersOrWasTakenBackDecidesNothing() async {
        let attempts = [
            await attempt(.notFound, held: ["1"]), await attempt(.notFound, revoked: ["1"]),
            await attempt(.notFound, confirms: { .known(.sample(id: $0, revoked: Date())) }),
            await attempt(.notFound, shows: [.sample(id: "1", revoked: Date())]),
        ]

        for attempt in attempts {
            #expect(!attempt.settlement.ends)
            #expect(attempt.settlement.reason == .purchaseNotInReceipt)
        }
    }

    /// The id exists, or may.
    @Test(arguments: [TransactionInfo.unauthorized, .known(.sample(id: "2", product: "gems"))])
    func whatAppleDoesNotDenyIsAwaited(_ answer: TransactionInfo) async {
        let attempt = await attempt(answer)

        #expect(attempt.settlement.candidates.isEmpty)
        #expect(!attempt.settlement.ends)
    }

    @Test func whatAppleKnowsIsGrantedAsItWasNamed() async {
        let attempt = await attempt(.known(.sample(id: "2", token: nil)), hint: "1")

        #expect(attempt.settlement.candidates.first?.transaction.id.rawValue == "1")
    }

    @Test(arguments: ["com.example.game", "purchase"])
    func aTextThatIsNoIDDelaysNobody(_ hint: String) async throws {
        try await QueueFixture.run { queue in
            try await queue.submit("a", "MII 1", hint: hint)

            let job = try #require(try await queue.claim().first)
            let attempt = await AttemptRunner.sample(ScriptedVerifier(), gates: try await queue.gates())
                .attempt(job, deadline: .now + .seconds(60))

            let upload = try #require(job.work.upload)
            #expect(upload.hint == nil)
            #expect(try await queue.settle(attempt.settlement).count == 1)
            #expect(try await queue.order("a") == OrderFacts(.fulfilled, by: "1"))
        }
    }
}

extension QueueFixture {
    fileprivate func gates() async throws -> GateCache {
        let cache = GateCache()
        cache.replace(with: try await GateStore(pool: pool).list())
        return cache
    }
}
