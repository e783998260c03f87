// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Testing
import Verification
import VerificationQueue

/// Receipts that lack the purchase that their order waits for.
@Suite struct MissingPurchaseTests {
    private static func receipt(_ shown: [Transaction], skipped: Int = 0) -> ScriptedVerifier.Answer {
        { _, _ throws(VerificationFailure) in
            .transactions(VerifiedTransactions(shown, mayBeIncomplete: true, signedAt: Date(), skipped: skipped))
        }
    }

    private static func lane(_ route: ReceiptRoute) -> LaneID {
        switch route {
        case .verifyReceipt: Sample.production
        case .localThenAPI: Sample.apiProduction
        case .localOnly: Sample.local
        }
    }

    /// For people who look for what one version of an app does wrong.
    @Test func theVersionOfTheAppThatMadeTheReceiptIsNamed() async {
        let verifier = ScriptedVerifier { _, _ throws(VerificationFailure) in
            .transactions(
                VerifiedTransactions([.sample(id: "1", quantity: 2)], mayBeIncomplete: true, appVersion: AppVersion("42")))
        }
        let job = Sample.job(proof: "MII", lane: Sample.local, policy: AppPolicy(receiptRoute: .localOnly))

        let attempt = await AttemptRunner.sample(verifier).attempt(job, deadline: .now + .seconds(60))

        #expect(attempt.settlement.appVersion?.rawValue == "42")
    }

    // MARK: A wrong number as a hint

    /// A receipt shows these; the client names 2, which isn't among them.
    private func attempt(
        _ shown: [Transaction], route: ReceiptRoute, held: Set<String> = [], revoked: Set<String> = [], skipped: Int = 0
    ) async -> Settlement {
        let job = Sample.job(proof: "MII", lane: Self.lane(route), hint: "2", policy: AppPolicy(receiptRoute: route))
        return await AttemptRunner.sample(ScriptedVerifier(Self.receipt(shown, skipped: skipped)), held: held, revoked: revoked)
            .attempt(job, deadline: .now + .seconds(60)).settlement
    }

    @Test(arguments: [ReceiptRoute.verifyReceipt, .localOnly])
    func theOnlyPurchaseThatFitsIsGrantedAtOnce(_ route: ReceiptRoute) async {
        let settlement = await attempt([.sample(id: "1"), .sample(id: "3", product: "gems")], route: route)

        #expect(settlement.candidates.map(\.transaction.id.rawValue) == ["1"])
        #expect(settlement.others.map(\.transaction.id.rawValue) == ["3"])
    }

    /// An old receipt shows an earlier purchase of the account: the one that the client names may come in the next receipt.
    @Test(arguments: [ReceiptRoute.verifyReceipt, .localOnly])
    func onlyWhatNobodyClaimedIsGranted(_ route: ReceiptRoute) async {
        let old = Transaction.sample(id: "1", purchased: Date().addingTimeInterval(-86_400))
        let settlements = [
            await attempt([.sample(id: "1")], route: route, held: ["1"]),
            await attempt([.sample(id: "1")], route: route, revoked: ["1"]),
            await attempt([.sample(id: "1", revoked: Date())], route: route),
            await attempt([.sample(id: "1"), .sample(id: "3")], route: route),
            await attempt([.sample(id: "1")], route: route, skipped: 1), await attempt([old], route: route),
            await attempt([.sample(id: "1", token: UUID(), ownership: .familyShared)], route: route),
            await attempt([], route: route),
        ]

        for settlement in settlements {
            #expect(settlement.candidates.isEmpty)
            #expect(!settlement.ends)
            #expect(settlement.reason == .purchaseNotInReceipt)
        }
    }

    /// Of two, one is another order's: the other is the only one that fits.
    @Test func aPurchaseOfAnotherOrderIsNoSecondOne() async {
        let settlement = await attempt([.sample(id: "1"), .sample(id: "3")], route: .verifyReceipt, held: ["1"])

        #expect(settlement.candidates.map(\.transaction.id.rawValue) == ["3"])
    }

    @Test(arguments: [ReceiptRoute.verifyReceipt, .localOnly])
    func aForgedReceiptGrantsNothing(_ route: ReceiptRoute) async {
        let job = Sample.job(proof: "MII", lane: Self.lane(route), hint: "2", policy: AppPolicy(receiptRoute: route))
        let verifier = ScriptedVerifier { _, _ throws(VerificationFailure) in .refused(.badSignature) }

        let settlement = await AttemptRunner.sample(verifier).attempt(job, deadline: .now + .seconds(60)).settlement

        #expect(settlement.outcome == .rejected(.badSignature, nil))
        #expect(settlement.payments.isEmpty)
    }

    // MARK: An older purchase

    /// Settles what is due, as a worker does.
    private func work(_ queue: QueueFixture, _ verifier: ScriptedVerifier) async throws {
        let runner = try await queue.runner(verifier)
        while case let jobs = try await queue.claim(), !jobs.isEmpty {
            for job in jobs {
                _ = try await queue.settle(await runner.attempt(job, deadline: .now + .seconds(60)).settlement)
            }
        }
    }

    private static func ago(_ minutes: Double) -> Date { Date().addingTimeInterval(-minutes * 60) }

    /// Whether the client names it or not.
    @Test(arguments: ["verify_receipt", "local_only", "local_then_api"], [nil, "1"])
    func anUnfinishedPurchasePaysItsOwnOrder(route: String, hint: String?) async throws {
        try await QueueFixture.run { queue in
            try await queue.admin.execute("update counterfoil.apps set receipt_route = '\(route)'")
            try await queue.place("own", minutesAgo: 60)
            try await queue.submit("new", "MII", hint: hint)
            let bought = Transaction.sample(id: "1", purchased: Self.ago(59))

            try await work(
                queue,
                ScriptedVerifier(
                    Self.receipt([.sample(id: "0", purchased: Self.ago(5_000)), bought]),
                    look: { _, _ throws(VerificationFailure) in .known(bought) }))

            #expect(try await queue.order("own") == OrderFacts(.fulfilled, by: "1"))
            #expect(try await queue.order("new") == OrderFacts(.open))
            #expect(try await queue.action("new") == "upload_proof")
            #expect(try await queue.count("counterfoil.jobs where kind = 'verify'") == 0)
            #expect(try await queue.faults() == [])
        }
    }

    /// Without an order of its own it says nothing of the new one: the client is asked for another receipt.
    @Test(arguments: ["none", "another account", "another product", "too late", "a forged receipt"])
    func anOlderPurchaseWithoutAnOrderChangesNothing(because why: String) async throws {
        try await QueueFixture.run { queue in
            try await queue.admin.execute("update counterfoil.apps set receipt_route = 'local_only'")
            switch why {
            case "another account": try await queue.place("own", account: "bob", minutesAgo: 60)
            case "another product": try await queue.place("own", product: "pro", minutesAgo: 60)
            case "too late": try await queue.place("own", minutesAgo: 200)
            case "a forged receipt": try await queue.place("own", minutesAgo: 60)
            default: break
            }
            try await queue.submit("new", "MII")
            let isForged = why == "a forged receipt"
            let bought = Transaction.sample(id: "1", purchased: Self.ago(59))

            try await work(
                queue,
                ScriptedVerifier { _, _ throws(VerificationFailure) in
                    isForged ? .refused(.badSignature) : .paid(bought, mayBeIncomplete: true)
                })

            #expect(try await queue.count("counterfoil.grants") == 0)
            #expect(try await queue.action("new") == (isForged ? "contact_support" : "resend_proof"))
            #expect(try await queue.count("counterfoil.unclaimed_transactions") == (isForged ? 0 : 1))
        }
    }

    // MARK: A receipt that lags behind

    /// The last check of a receipt of an older purchase, whose customer bought 2 since.
    private func lastCheck(
        route: ReceiptRoute = .localThenAPI, history: [Transaction]? = [.sample(id: "0", purchased: ago(5_000)), .sample(id: "2")],
        missingTimes: TimeInterval? = 25 * 3_600, hint: String? = nil, closed: LaneID? = nil, shown: [Transaction]? = nil
    ) async -> (settlement: Settlement, calls: [Endpoint]) {
        let verifier = ScriptedVerifier(
            Self.receipt(shown ?? [.sample(id: "0", purchased: Self.ago(5_000))]),
            look: { id, _ throws(VerificationFailure) in .known(.sample(id: id)) }, bought: history.map { ["0": $0] } ?? [:])
        let job = Sample.job(
            proof: "MII", lane: Self.lane(route), missingTimes: missingTimes, age: missingTimes ?? 1, hint: hint,
            policy: AppPolicy(receiptRoute: route))
        let attempt = await AttemptRunner.sample(verifier, gates: Sample.gates(closed: closed))
            .attempt(job, deadline: .now + .seconds(60))
        return (attempt.settlement, verifier.calls)
    }

    /// With the id named it was review, because anybody may name an id; the history shows that it is the receipt's customer's.
    @Test(arguments: [ReceiptRoute.localThenAPI, .verifyReceipt, .localOnly], [nil, "2"])
    func applesHistoryOfTheCustomerIsAskedBeforeTheEnd(_ route: ReceiptRoute, hint: String?) async {
        let (settlement, calls) = await lastCheck(route: route, hint: hint)

        #expect(settlement.candidates.map(\.transaction.id.rawValue) == ["2"])
        #expect(settlement.heaviestObjections == [nil])
        #expect(settlement.others.map(\.transaction.id.rawValue) == ["0"])
        #expect(calls.last == .serverAPI(.production))
    }

    @Test func itIsAskedAtTheEndOnly() async {
        let (settlement, calls) = await lastCheck(missingTimes: 60)

        #expect(settlement.reason == .purchaseNotInReceipt && !settlement.ends)
        #expect(calls == [.local])
    }

    /// What Apple doesn't show, or shows as taken back or of before the order, pays for nothing; nor does a receipt without any
    /// transaction name a customer.
    @Test func whatApplesHistoryLacksIsRejected() async {
        let settlements = [
            await lastCheck(history: nil), await lastCheck(history: []),
            await lastCheck(history: [.sample(id: "2", product: "gems")]),
            await lastCheck(history: [.sample(id: "2", purchased: Self.ago(5_000))]),
            await lastCheck(history: [.sample(id: "2", ownership: .familyShared)]), await lastCheck(shown: []),
        ].map(\.settlement)

        for settlement in settlements { #expect(settlement.outcome == .rejected(.purchaseNotInReceipt, nil)) }
    }

    /// A fault of Apple's rejects nobody.
    @Test func behindAClosedGateTheEndWaits() async {
        let (settlement, calls) = await lastCheck(route: .localOnly, closed: Sample.apiProduction)

        #expect(!settlement.ends)
        #expect(settlement.wait == .snooze(for: RetryPolicy().missingDelay))
        #expect(settlement.reason == .purchaseNotInReceipt)
        #expect(settlement.lane == nil)
        #expect(calls == [.local])
    }
}
