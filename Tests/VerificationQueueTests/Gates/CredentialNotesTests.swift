// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Logging
import TestSupport
import Testing
import Verification

@testable import VerificationQueue

/// What all workers know of a secret that Apple refused.
@Suite struct CredentialNotesTests {
    private static let secret = CredentialDigest(Array(repeating: 1, count: 32))
    private static let other = CredentialDigest(Array(repeating: 2, count: 32))

    /// The notes of one lane, as several workers make them.
    private struct Notes {
        let store: GateStore
        let lane: LaneID

        init(_ queue: QueueFixture) async throws {
            store = GateStore(pool: queue.pool)
            lane = try await store.list().first { $0.endpoint == .verifyReceipt(.production) }!.lane
        }

        private func job(_ order: String, _ proof: String?) -> Job {
            Sample.job(order: order, proof: proof ?? "MII \(order)", lane: lane)
        }

        /// Apple refuses the secret for a receipt.
        @discardableResult
        func refuse(
            _ order: String, proof: String? = nil, secret: CredentialDigest = secret, isNeeded: Bool = true
        ) async throws -> CredentialStanding {
            try await store.noteRefusal(
                of: CredentialUse(secret, lane: lane, isNeeded: isNeeded), for: job(order, proof))
        }

        /// - Parameter age: how long ago the call began, in seconds.
        func accept(
            _ order: String, proof: String? = nil, secret: CredentialDigest = secret, isNeeded: Bool = true, age: Double = 0
        ) async throws {
            try await store.noteAcceptance(
                of: CredentialUse(secret, lane: lane, isNeeded: isNeeded, began: .now - .seconds(age)), for: job(order, proof))
        }

        /// Makes all refusals older.
        func age(by seconds: Int, _ queue: QueueFixture) async throws {
            try await queue.admin.execute(
                """
                update counterfoil.credential_refusals
                set first_refused_at = first_refused_at - interval '\(seconds) s', refused_at = refused_at - interval '\(seconds) s'
                """)
        }

        func refusals() async throws -> Gate.Refusals {
            try await store.list().first { $0.lane == lane }!.refusals
        }
    }

    @Test func aSecretThatWasNeverAcceptedIsAtFaultAtOnce() async throws {
        try await QueueFixture.run { queue in
            let notes = try await Notes(queue)

            #expect(try await notes.refuse("a").fault == .credential)
        }
    }

    @Test func anotherSecretThanTheAcceptedOneIsAtFaultAtOnce() async throws {
        try await QueueFixture.run { queue in
            let notes = try await Notes(queue)
            try await notes.accept("a")

            #expect(try await notes.refuse("b", secret: Self.other).fault == .credential)
            #expect(try await notes.refuse("b").fault == .unknown)
        }
    }

    /// After a rotation a worker that still has the former one says so, and through however many others.
    @Test func aFormerSecretIsKnownAsOne() async throws {
        try await QueueFixture.run { queue in
            let notes = try await Notes(queue)
            let third = CredentialDigest(Array(repeating: 3, count: 32))
            try await notes.accept("a")
            #expect(try await !notes.refuse("b").isFormer)

            try await notes.accept("c", secret: Self.other)
            try await notes.accept("d", secret: third)

            for secret in [Self.secret, Self.other] {
                let standing = try await notes.refuse("e", secret: secret)
                #expect(standing.isFormer && standing.fault == .credential)
            }
            #expect(try await !notes.refuse("f", secret: third).isFormer)
            #expect(try await !notes.refuse("g", secret: CredentialDigest(Array(repeating: 4, count: 32))).isFormer)
            // Put back, and rotated again.
            try await notes.accept("h")
            try await notes.accept("i", secret: third)
            #expect(try await notes.refuse("j").isFormer)
            #expect(try await queue.count("counterfoil.former_credentials") == 3)
        }
    }

    @Test func threeReceiptsOfThreeOrdersAreEnough() async throws {
        try await QueueFixture.run { queue in
            let notes = try await Notes(queue)
            try await notes.accept("good", age: 60)

            var faults: [CredentialStanding.Fault] = []
            for order in ["a", "a", "b", "a"] { faults.append(try await notes.refuse(order).fault) }
            try await notes.age(by: 2, queue)
            faults.append(try await notes.refuse("c").fault)

            #expect(faults == [.unknown, .unknown, .unknown, .unknown, .credential])
        }
    }

    /// Calls under way may be accepted.
    @Test func manyAtOnceSayNothingYet() async throws {
        try await QueueFixture.run { queue in
            let notes = try await Notes(queue)
            try await notes.accept("good", age: 60)
            for order in ["a", "b", "c", "d"] { #expect(try await notes.refuse(order).fault == .unknown) }
            #expect(try await notes.refuse("e").refusedFor < 2)

            try await notes.age(by: 30, queue)
            #expect(try await notes.refuse("f").refusedFor > 29)
            // Those that were accepted in between begin anew.
            try await notes.accept("better")
            for order in ["g", "h", "i"] { #expect(try await notes.refuse(order).fault == .unknown) }
            #expect(try await notes.refuse("j").refusedFor < 2)
        }
    }

    @Test func oneReceiptOfManyOrdersIsOne() async throws {
        try await QueueFixture.run { queue in
            let notes = try await Notes(queue)
            try await notes.accept("good")

            for order in ["a", "b", "c", "d"] {
                #expect(try await notes.refuse(order, proof: "MII same").fault == .unknown)
            }
        }
    }

    @Test func anAcceptanceInBetweenBeginsTheCountAnew() async throws {
        try await QueueFixture.run { queue in
            let notes = try await Notes(queue)
            try await notes.accept("good")
            for order in ["a", "b"] { try await notes.refuse(order) }

            try await notes.accept("better")

            #expect(try await notes.refuse("c").refusedOrders == 1)
        }
    }

    @Test func aRefusalCountsOnceTheSecretWasAcceptedForAnotherReceiptAfterIt() async throws {
        try await QueueFixture.run { queue in
            let notes = try await Notes(queue)
            try await notes.accept("good")
            try await notes.refuse("a")
            try await notes.accept("better")

            #expect(try await notes.refuse("a").fault == .proof)
            // Each refusal needs an acceptance after the one before it.
            #expect(try await notes.refuse("a").fault == .unknown)
        }
    }

    @Test(arguments: [("a", "MII other"), ("b", "MII a")])
    func anAcceptanceForTheSameOrderOrReceiptSaysNothingAgainstIt(_ order: String, _ proof: String) async throws {
        try await QueueFixture.run { queue in
            let notes = try await Notes(queue)
            try await notes.accept("good")
            try await notes.refuse("a")
            try await notes.accept(order, proof: proof)

            #expect(try await notes.refuse("a").fault == .unknown)
        }
    }

    @Test func aCallThatBeganBeforeTheRefusalSaysNothing() async throws {
        try await QueueFixture.run { queue in
            let notes = try await Notes(queue)
            try await notes.accept("good", age: 60)
            try await notes.refuse("a")
            try await notes.accept("slow", age: 30)

            #expect(try await notes.refuse("a").fault == .unknown)
        }
    }

    /// Apple may not look at the secret of a receipt without a subscription.
    @Test(arguments: [(true, true, true), (true, false, false), (false, true, true), (false, false, true)])
    func onlyReceiptsThatNeedTheSecretSayWhetherItIsRightForThose(
        refusedNeedsIt: Bool, acceptedNeedsIt: Bool, counts: Bool
    ) async throws {
        try await QueueFixture.run { queue in
            let notes = try await Notes(queue)
            try await notes.accept("good")
            try await notes.refuse("a", isNeeded: refusedNeedsIt)
            try await notes.accept("better", isNeeded: acceptedNeedsIt)

            #expect(try await notes.refuse("a", isNeeded: refusedNeedsIt).fault == (counts ? .proof : .unknown))
        }
    }

    /// A customer's receipt that Apple never accepts must not help to close the gate each night.
    @Test func receiptsAgainstWhichItCountedCloseNoGate() async throws {
        try await QueueFixture.run { queue in
            let notes = try await Notes(queue)
            try await notes.accept("good")
            for order in ["a", "b", "c"] {
                try await notes.refuse(order)
                try await notes.accept("better")
                #expect(try await notes.refuse(order).fault == .proof)
            }

            #expect(try await notes.refuse("d").fault == .unknown)
        }
    }

    @Test func gatesShowForHowManyOrdersTheSecretWasRefused() async throws {
        try await QueueFixture.run { queue in
            let notes = try await Notes(queue)
            #expect(try await notes.refusals() == .none)
            try await notes.accept("good")
            try await notes.refuse("a")
            try await notes.refuse("b", isNeeded: false)
            #expect(try await notes.refusals() == Gate.Refusals(all: 2, needed: 1))

            try await notes.accept("better", isNeeded: false)
            #expect(try await notes.refusals() == Gate.Refusals(all: 0, needed: 1))
            try await notes.accept("best")
            #expect(try await notes.refusals() == .none)
        }
    }

    @Test func theNewSecretForgetsTheRefusalsOfTheOld() async throws {
        try await QueueFixture.run { queue in
            let notes = try await Notes(queue)
            for order in ["a", "b", "c"] { try await notes.refuse(order) }

            try await notes.accept("good", secret: Self.other)

            #expect(try await notes.refusals() == .none)
            #expect(try await queue.count("counterfoil.credential_refusals") == 0)
        }
    }

    @Test func oldRefusalsAreForgotten() async throws {
        try await QueueFixture.run { queue in
            let notes = try await Notes(queue)
            try await notes.refuse("a")
            try await queue.admin.execute("update counterfoil.credential_refusals set refused_at = now() - interval '31 days'")

            try await notes.refuse("b")

            #expect(try await queue.count("counterfoil.credential_refusals") == 1)
        }
    }

    // MARK: What a good receipt costs

    private static func keeper(_ queue: QueueFixture) -> GateKeeper {
        GateKeeper(store: GateStore(pool: queue.pool), configuration: WorkerConfiguration(), name: "w", logger: .test)
    }

    private static func good(_ order: String, _ lane: LaneID, isNeeded: Bool = true) -> Attempt {
        Attempt(
            settlement: Settlement(Sample.job(order: order, proof: "MII \(order)", lane: lane), .end(.unchanged)),
            calls: [
                Attempt.Call(lane: lane, result: .answered, accepted: CredentialUse(secret, lane: lane, isNeeded: isNeeded))
            ])
    }

    @Test func aGoodReceiptCostsAStatementOnlyWhereARefusalWaitsForIt() async throws {
        try await QueueFixture.run { queue in
            let notes = try await Notes(queue)
            let keeper = Self.keeper(queue)
            _ = try await keeper.refresh()
            // The first tells all workers that this secret was accepted.
            await keeper.record(Self.good("good", notes.lane))
            #expect(try await queue.count("counterfoil.gates where credential_digest is not null") == 1)
            try await queue.refuseAcceptances()

            // Nobody waits: no statement, or it would fail and be forgotten.
            await keeper.record(Self.good("better", notes.lane))
            #expect(keeper.cache.takeAcceptance(of: CredentialUse(Self.secret, lane: notes.lane, isNeeded: true)) == false)

            try await queue.allowAcceptances()
            try await notes.refuse("a")
            _ = try await keeper.refresh()
            await keeper.record(Self.good("best", notes.lane))
            #expect(try await notes.refuse("a").fault == .proof)
        }
    }

    @Test func anAcceptanceThatCouldNotBeNotedIsNotedByTheNext() async throws {
        try await QueueFixture.run { queue in
            let notes = try await Notes(queue)
            let keeper = Self.keeper(queue)
            _ = try await keeper.refresh()
            try await queue.refuseAcceptances()
            await keeper.record(Self.good("good", notes.lane))
            try await queue.allowAcceptances()

            await keeper.record(Self.good("better", notes.lane))

            #expect(try await queue.count("counterfoil.gates where credential_digest is not null") == 1)
        }
    }

    // MARK: Probes

    /// Probes a gate that three refused receipts closed, and returns whether it is open then.
    private static func probe(
        _ result: Attempt.Call.Result, accepts: Bool, closedBy closer: Gate.Closer = .configuration, refuses: Bool = true
    ) async throws -> Bool {
        let isOpen = EventLog<Bool>()
        try await QueueFixture.run { queue in
            let notes = try await Notes(queue)
            if refuses { try await notes.refuse("a") }
            try await queue.submit("a", "MII a")
            _ = try await notes.store.close(notes.lane, by: closer, for: "test", why: "refused", firstProbe: .zero)
            let keeper = Self.keeper(queue)
            let probe = try #require(try await keeper.refresh().first)
            let use = CredentialUse(secret, lane: notes.lane, isNeeded: true)

            await keeper.end(
                probe,
                with: Attempt(
                    settlement: Settlement(Sample.job(lane: notes.lane), .end(.unchanged)),
                    calls: [Attempt.Call(lane: notes.lane, result: result, accepted: accepts ? use : nil)]))

            isOpen.append(try await notes.store.list().first { $0.lane == notes.lane }!.isOpen)
        }
        return try #require(isOpen.all.first as Bool?)
    }

    @Test func aGateThatASecretClosedOpensOnlyWhenItIsAccepted() async throws {
        #expect(try await Self.probe(.answered, accepts: true))
        // As by a receipt that isn't authentic: Apple hasn't looked at the secret.
        #expect(try await !Self.probe(.answered, accepts: false))
        #expect(try await !Self.probe(.credentialRefused, accepts: false))
        #expect(try await !Self.probe(.misconfigured("refused"), accepts: false))
    }

    @Test func otherFaultsOfConfigurationAreMendedByAnyAnswer() async throws {
        #expect(try await Self.probe(.answered, accepts: false, refuses: false))
    }

    /// The service answers.
    @Test(arguments: [Gate.Closer.breaker, .budget])
    func aRefusedSecretIsAnAnswerOfTheService(_ closer: Gate.Closer) async throws {
        #expect(try await Self.probe(.credentialRefused, accepts: false, closedBy: closer))
    }
}

extension QueueFixture {
    fileprivate func refuseAcceptances() async throws {
        try await admin.execute("revoke update (credential_digest) on counterfoil.gates from counterfoil_worker")
    }

    fileprivate func allowAcceptances() async throws {
        try await admin.execute("grant update (credential_digest) on counterfoil.gates to counterfoil_worker")
    }
}
