// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import TestSupport
import Testing
import Verification
import VerificationQueue

/// Attempts whose proof shows a transaction that the database can't keep.
@Suite struct UnstorableAttemptTests {
    private static let odd = Transaction.sample(id: "66\0", token: UUID(uuidString: "22222222-2222-4222-8222-222222222222"))

    private static func verifier(_ transactions: Transaction..., isReceipt: Bool = false) -> ScriptedVerifier {
        ScriptedVerifier { _, _ throws(VerificationFailure) in
            .transactions(VerifiedTransactions(transactions, mayBeIncomplete: isReceipt))
        }
    }

    private static func attempt(_ job: Job, _ verifier: ScriptedVerifier) async -> Settlement {
        await AttemptRunner.sample(verifier, gates: Sample.gates()).attempt(job, deadline: .now + .seconds(60)).settlement
    }

    @Test func itsJobIsKeptWithTheProofAndItsMessageNamesIt() async throws {
        let settlement = await Self.attempt(Sample.job(proof: "eyJ"), Self.verifier(Self.odd))

        #expect(settlement.outcome == .review(.unknownAnswer, nil))
        #expect(settlement.isDiscarded)
        let message = try #require(settlement.message)
        #expect(message.contains("transaction id"))
        #expect(message.contains("66"))
        #expect(!message.contains("22222222"))
        #expect(settlement.payments.isEmpty)
    }

    @Test func aPaymentBesideItIsOffered() async {
        let settlement = await Self.attempt(
            Sample.job(proof: "MII", lane: Sample.production), Self.verifier(Self.odd, .sample(id: "1"), isReceipt: true))

        #expect(settlement.candidates.map(\.transaction.id.rawValue) == ["1"])
        #expect(settlement.message?.contains("66") == true)
        #expect(settlement.payments.count == 1)
    }

    /// The receipt lacks what the client named, and Apple knows that: neither hides the other.
    @Test func whatTheClientNamedPaysBesideIt() async {
        let token = UUID()
        let verifier = ScriptedVerifier(
            { _, _ throws(VerificationFailure) in .paid(Self.odd, mayBeIncomplete: true) },
            look: { id, _ throws(VerificationFailure) in .known(.sample(id: id, token: token)) })
        let job = Sample.job(
            proof: "MII", lane: Sample.apiProduction, hint: "2", token: token, policy: AppPolicy(receiptRoute: .localThenAPI))

        let settlement = await Self.attempt(job, verifier)

        #expect(settlement.candidates.map(\.transaction.id.rawValue) == ["2"])
        #expect(settlement.message?.contains("66") == true)
    }

    /// A refund that Apple confirmed ends no order while Apple doesn't know the other purchase yet.
    @Test func itIsDescribedWhileAnUnconfirmedPurchaseIsAwaited() async {
        let verifier = ScriptedVerifier(
            { _, _ throws(VerificationFailure) in
                .paid(Self.odd, .sample(id: "1"), .sample(id: "2"), mayBeIncomplete: true)
            },
            look: { id, _ throws(VerificationFailure) in id == "1" ? .known(.sample(id: id, revoked: Date())) : .notFound })
        let job = Sample.job(
            proof: "MII", lane: Sample.apiProduction, hint: "1", policy: AppPolicy(receiptRoute: .localThenAPI))

        let settlement = await Self.attempt(job, verifier)

        #expect(settlement.reason == .transactionNotFound)
        #expect(settlement.message?.contains("66") == true)
    }

    /// The payment that the proof shows beside it is another order's: then it may be what pays for this one.
    @Test func itIsLeftToAnOperatorIfTheLedgerGrantsNoOther() async throws {
        try await QueueFixture.run { queue in
            let verifier = Self.verifier(Self.odd, .sample(id: "1"), isReceipt: true)
            for order in ["a", "b"] {
                try await queue.submit(order, "MII \(order)")
            }

            for job in try await queue.claim() {
                let attempt = await AttemptRunner(
                    verifier: verifier, gates: try await Self.gates(queue), pool: queue.pool, retry: RetryPolicy()
                ).attempt(job, deadline: .now + .seconds(60))
                _ = try await queue.settle(attempt.settlement)
            }

            #expect(try await queue.order("a") == OrderFacts(.fulfilled, by: "1"))
            #expect(try await queue.order("b") == OrderFacts(.review, .unknownAnswer))
            #expect(try await queue.count("counterfoil.proofs where order_id = 'b'") == 1)
            #expect(try await queue.count("counterfoil.attempts where message like '%66%'") == 2)
            #expect(try await queue.faults() == [])
        }
    }

    @Test func nothingOfItReachesTheDatabaseButItsDescription() async throws {
        try await QueueFixture.run { queue in
            let job = try await queue.submit("a", "eyJ 1")
            let odd = Transaction.sample(id: "66\0", quantity: .max)
            let claimed = try #require(try await queue.claim().first)
            let attempt = await AttemptRunner(
                verifier: Self.verifier(odd), gates: try await Self.gates(queue), pool: queue.pool, retry: RetryPolicy()
            ).attempt(claimed, deadline: .now + .seconds(60))

            #expect(try await queue.settle(attempt.settlement) == [.settled(.review(.unknownAnswer, nil))])

            #expect(try await queue.order("a") == OrderFacts(.review, .unknownAnswer))
            #expect(try await queue.job(job) == "discarded 1 unknown_answer")
            #expect(try await queue.count("counterfoil.jobs where proof = 'eyJ 1'") == 1)
            #expect(try await queue.count("counterfoil.attempts where message like '%the database can''t keep%66%'") == 1)
            #expect(try await queue.count("counterfoil.unclaimed_transactions") == 0)
            #expect(try await queue.faults() == [])
        }
    }

    private static func gates(_ queue: QueueFixture) async throws -> GateCache {
        let cache = GateCache()
        cache.replace(with: try await GateStore(pool: queue.pool).list())
        return cache
    }
}
