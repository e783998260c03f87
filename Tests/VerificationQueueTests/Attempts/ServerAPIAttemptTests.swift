// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Synchronization
import Testing
import Verification
import VerificationQueue

/// The way of a job through the App Store Server API.
@Suite struct ServerAPIAttemptTests {
    private func attempt(
        _ job: Job, _ verifier: ScriptedVerifier = ScriptedVerifier(), gates: GateCache = Sample.gates(),
        held: Set<String> = [], revoked: Set<String> = []
    ) async -> Attempt {
        await AttemptRunner.sample(verifier, gates: gates, held: held, revoked: revoked)
            .attempt(job, deadline: .now + .seconds(60))
    }

    private static let always = AppPolicy(allowsSandbox: true, confirmation: .ifOlderThan(0))
    private static let localThenAPI = AppPolicy(allowsSandbox: true, receiptRoute: .localThenAPI)

    // MARK: Confirming

    @Test func aSignedTransactionIsConfirmedBeforeTheGrantWhenThePolicySaysSo() async {
        let verifier = ScriptedVerifier()

        let attempt = await attempt(
            Sample.job(proof: "eyJ 1000", lane: Sample.apiProduction, policy: Self.always), verifier)

        #expect(verifier.calls == [.local, .serverAPI(.production)])
        #expect(attempt.settlement.candidates.map(\.transaction.id.rawValue) == ["1000"])
    }

    @Test func aSignedTransactionThatMustBeConfirmedWaitsInTheLaneOfThatCall() async {
        let verifier = ScriptedVerifier()

        let attempt = await attempt(Sample.job(proof: "eyJ 1000", policy: Self.always), verifier)

        #expect(attempt.settlement.wait == .release)
        #expect(attempt.settlement.lane == Sample.apiProduction)
        #expect(verifier.calls.isEmpty)
    }

    @Test(arguments: [(59.0, false), (61.0, true)])
    func onlyAnOldSignatureIsConfirmedWhenThePolicyNamesAnAge(age: Double, isConfirmed: Bool) async {
        let verifier = ScriptedVerifier { _, _ throws(VerificationFailure) in
            .transactions(
                VerifiedTransactions(
                    [.sample(id: "1")], mayBeIncomplete: false, signedAt: Date().addingTimeInterval(-age)))
        }

        _ = await attempt(Sample.job(policy: AppPolicy(confirmation: .ifOlderThan(60))), verifier)

        #expect(verifier.calls.contains(.serverAPI(.production)) == isConfirmed)
    }

    @Test func aRefundThatOnlyAppleKnowsOfPreventsTheGrant() async {
        let verifier = ScriptedVerifier(look: { id, _ throws(VerificationFailure) in
            .known(.sample(id: id, revoked: Date()))
        })

        let attempt = await attempt(Sample.job(lane: Sample.apiProduction, policy: Self.always), verifier)

        #expect(attempt.settlement.heaviestObjections == [.refunded])
        #expect(attempt.settlement.revoked.count == 1)
    }

    /// No newer proof has more in it than a whole signed transaction, or a receipt that shows the purchase: its client waits.
    @Test(arguments: [("eyJ 1000", always), ("MII 1000", localThenAPI)])
    func aPurchaseThatAppleDoesNotKnowYetIsLookedForAgainAndKeptAsUnclaimed(proof: String, policy: AppPolicy) async {
        let verifier = ScriptedVerifier(look: { _, _ throws(VerificationFailure) in .notFound })

        let attempt = await attempt(Sample.job(proof: proof, lane: Sample.apiProduction, policy: policy), verifier)

        #expect(attempt.settlement.reason == .transactionNotFound)
        #expect(!attempt.settlement.ends)
        #expect(attempt.settlement.others.map(\.transaction.id.rawValue) == ["1000"])
    }

    @Test func aPurchaseThatAppleSignedAndDoesNotKnowIsLeftToAPerson() async {
        let verifier = ScriptedVerifier(look: { _, _ throws(VerificationFailure) in .notFound })
        let job = Sample.job(
            lane: Sample.apiProduction, missingTimes: 25 * 3_600, age: 25 * 3_600, policy: Self.always)

        let attempt = await attempt(job, verifier)

        #expect(attempt.settlement.isDiscarded)
        #expect(attempt.settlement.outcome == .review(.transactionNotFound, nil))
        #expect(attempt.settlement.others.map(\.transaction.id.rawValue) == ["1000"])
    }

    @Test func aRefusedKeyParksTheJobAndClosesTheGate() async {
        let verifier = ScriptedVerifier(look: { _, _ throws(VerificationFailure) in .unauthorized })

        let attempt = await attempt(Sample.job(lane: Sample.apiProduction, policy: Self.always), verifier)

        #expect(attempt.settlement.wait == .snooze(for: .seconds(60)))
        #expect(attempt.calls.last?.lane == Sample.apiProduction)
        guard case .misconfigured = attempt.calls.last?.result else {
            Issue.record("not counted as a fault of configuration")
            return
        }
    }

    @Test func oneRefusalOfTheKeyClosesNoGate() async {
        let asked = Asked()
        let verifier = ScriptedVerifier(look: { id, _ throws(VerificationFailure) in
            asked.add(id)
            return asked.ids.count == 1 ? .unauthorized : .known(.sample(id: id))
        })

        let attempt = await attempt(Sample.job(lane: Sample.apiProduction, policy: Self.always), verifier)

        #expect(attempt.settlement.candidates.map(\.transaction.id.rawValue) == ["1000"])
        #expect(attempt.calls.filter { $0.lane == Sample.apiProduction }.map(\.result) == [.answered])
    }

    @Test func aSandboxPurchaseIsConfirmedInTheSandbox() async {
        let verifier = ScriptedVerifier { _, _ throws(VerificationFailure) in
            .paid(.sample(id: "1", environment: .sandbox))
        }

        _ = await attempt(Sample.job(lane: Sample.apiProduction, policy: Self.always), verifier)

        #expect(verifier.calls == [.local, .serverAPI(.sandbox)])
    }

    /// Shows a subscription without a billing event, which Apple knows.
    private static func verifierOfASubscription() -> ScriptedVerifier {
        ScriptedVerifier(
            { _, _ throws(VerificationFailure) in
                .transactions(
                    VerifiedTransactions(
                        [.sample(id: "1", kind: .autoRenewable)], mayBeIncomplete: false, signedAt: Date()))
            }, look: { id, _ throws(VerificationFailure) in .known(.sample(id: id, kind: .autoRenewable)) })
    }

    @Test(arguments: [(AppPolicy(confirmation: .ifOlderThan(3600)), nil as Reason?), (AppPolicy(), .subscriptionUnconfirmed)])
    func aSubscriptionWithoutABillingEventIsConfirmedWhereThatCanBeDone(policy: AppPolicy, objection: Reason?) async {
        let verifier = Self.verifierOfASubscription()

        let attempt = await attempt(Sample.job(policy: policy), verifier)

        #expect(attempt.settlement.heaviestObjections == [objection])
    }

    /// It waits behind the closed gate and probes it: sent back to its first lane, it would never call.
    @Test func aSubscriptionWithoutABillingEventProbesTheGateThatItWaitsFor() async {
        let verifier = Self.verifierOfASubscription()
        let policy = AppPolicy(receiptRoute: .localThenAPI, confirmation: .never)
        let gates = Sample.gates(closed: Sample.apiProduction)

        let parked = await attempt(Sample.job(policy: policy), verifier, gates: gates)
        let probing = await attempt(Sample.job(lane: Sample.apiProduction, policy: policy), verifier, gates: gates)

        #expect(parked.settlement.lane == Sample.apiProduction)
        #expect(probing.calls.contains { $0.lane == Sample.apiProduction && $0.result == .answered })
        #expect(probing.settlement.heaviestObjections == [nil])
    }

    @Test func aClosedGateOfTheConfirmationParksTheJobThere() async {
        let verifier = ScriptedVerifier { _, _ throws(VerificationFailure) in
            .paid(.sample(id: "1", environment: .sandbox))
        }

        let attempt = await attempt(
            Sample.job(lane: Sample.apiProduction, policy: Self.always), verifier,
            gates: Sample.gates(closed: Sample.apiSandbox))

        #expect(attempt.settlement.wait == .release)
        #expect(attempt.settlement.lane == Sample.apiSandbox)
    }

    // MARK: Receipts

    @Test func aReceiptIsVerifiedHereAndThenConfirmed() async {
        let verifier = ScriptedVerifier()

        let attempt = await attempt(
            Sample.job(proof: "MII 1", lane: Sample.apiProduction, policy: Self.localThenAPI), verifier)

        #expect(verifier.calls == [.local, .serverAPI(.production)])
        #expect(attempt.settlement.candidates.map(\.transaction.id.rawValue) == ["1"])
    }

    @Test func aReceiptOfAnAppThatAsksNobodyIsVerifiedHere() async {
        let verifier = ScriptedVerifier()

        let attempt = await attempt(
            Sample.job(proof: "MII 1", policy: AppPolicy(receiptRoute: .localOnly)), verifier)

        #expect(verifier.calls == [.local])
        #expect(attempt.settlement.candidates.count == 1)
    }

    @Test func whatAnotherOrderHoldsIsNotAskedAbout() async {
        let asked = Asked()
        let verifier = ScriptedVerifier(
            { _, _ throws(VerificationFailure) in
                .paid(.sample(id: "1"), .sample(id: "2"), .sample(id: "3"), mayBeIncomplete: true)
            },
            look: { id, _ throws(VerificationFailure) in
                asked.add(id)
                return .known(.sample(id: id))
            })

        let attempt = await attempt(
            Sample.job(proof: "MII", lane: Sample.apiProduction, policy: Self.localThenAPI), verifier, held: ["1"])

        #expect(asked.ids == ["2", "3"])
        #expect(Set(attempt.settlement.candidates.map(\.transaction.id.rawValue)) == ["1", "2", "3"])
    }

    @Test func ofManyPurchasesOnlySoManyAreAskedAboutAndTheOthersStayUnclaimed() async {
        let ids = (1...(AttemptRunner.confirmations + 3)).map { String(1000 + $0) }
        let verifier = ScriptedVerifier { _, _ throws(VerificationFailure) in
            .transactions(VerifiedTransactions(ids.map { .sample(id: $0) }, mayBeIncomplete: true))
        }

        let attempt = await attempt(
            Sample.job(proof: "MII", lane: Sample.apiProduction, policy: Self.localThenAPI), verifier)

        #expect(verifier.calls.count == 1 + AttemptRunner.confirmations)
        #expect(attempt.settlement.candidates.count == AttemptRunner.confirmations)
        #expect(attempt.settlement.others.count == 3)
    }

    /// A receipt doesn't tell which of its purchases were refunded: asked about each time, they would leave no turn to others.
    @Test func whatWasTakenBackIsAskedAboutLast() async {
        let revoked = (1...AttemptRunner.confirmations).map { String(1000 + $0) }
        let verifier = ScriptedVerifier(
            { _, _ throws(VerificationFailure) in
                .transactions(VerifiedTransactions((revoked + ["2000"]).map { .sample(id: $0) }, mayBeIncomplete: true))
            },
            look: { id, _ throws(VerificationFailure) in .known(.sample(id: id, revoked: revoked.contains(id) ? Date() : nil)) })

        let attempt = await attempt(
            Sample.job(proof: "MII", lane: Sample.apiProduction, policy: Self.localThenAPI), verifier, revoked: Set(revoked))

        #expect(attempt.settlement.candidates.map(\.transaction.id.rawValue) == ["2000"])
    }

    /// The other may still pay for the order.
    @Test func oneRefundEndsNoOrderWhileAppleDoesNotKnowTheOther() async {
        let verifier = ScriptedVerifier(
            { _, _ throws(VerificationFailure) in .paid(.sample(id: "1"), .sample(id: "2"), mayBeIncomplete: true) },
            look: { id, _ throws(VerificationFailure) in
                id == "1" ? .known(.sample(id: id, revoked: Date())) : .notFound
            })

        let attempt = await attempt(
            Sample.job(proof: "MII", lane: Sample.apiProduction, policy: Self.localThenAPI), verifier)

        #expect(attempt.settlement.reason == .transactionNotFound)
        #expect(!attempt.settlement.ends)
        #expect(attempt.settlement.revoked.map(\.id.rawValue) == ["1"])
        #expect(attempt.settlement.others.map(\.transaction.id.rawValue) == ["2"])
    }

    /// Of a restored subscription Apple may name the first id: its client knows the one that was asked for.
    @Test func anAnswerUnderAnotherIDIsKnownByBoth() async {
        let verifier = ScriptedVerifier(
            { _, _ throws(VerificationFailure) in
                .paid(.sample(id: "2", original: "1", kind: .nonConsumable), mayBeIncomplete: true)
            },
            look: { _, _ throws(VerificationFailure) in .known(.sample(id: "1", kind: .nonConsumable)) })

        let attempt = await attempt(
            Sample.job(proof: "MII", lane: Sample.apiProduction, policy: Self.localThenAPI), verifier)

        #expect(Set(attempt.settlement.candidates.map(\.transaction.id.rawValue)) == ["1", "2"])
        #expect(Set(attempt.settlement.candidates.map { PaymentFacts($0.shown).key }).count == 1)
    }

    /// A consumable has no other names: an answer under another id is about another purchase, for a proof and for a bare id.
    @Test(
        arguments: [
            ("MII", ProductKind.consumable, false), ("MII", .nonConsumable, true), ("1000", .consumable, false),
            ("1000", .nonConsumable, true),
        ] as [(String, ProductKind, Bool)])
    func aConsumableUnderAnotherIDIsAnotherPurchase(proof: String, kind: ProductKind, isBelieved: Bool) async {
        let token = UUID()
        let verifier = ScriptedVerifier(
            { _, _ throws(VerificationFailure) in
                .paid(.sample(id: "1000", original: "900", kind: kind, token: token), mayBeIncomplete: true)
            },
            look: { _, _ throws(VerificationFailure) in .known(.sample(id: "900", kind: kind, token: token)) })

        let attempt = await attempt(
            Sample.job(proof: proof, lane: Sample.apiProduction, token: token, policy: Self.localThenAPI), verifier)

        #expect(attempt.settlement.candidates.isEmpty == !isBelieved)
        #expect((attempt.settlement.reason == .unknownAnswer) == !isBelieved)
        #expect(attempt.settlement.ends == isBelieved)
    }

    @Test func anAnswerAboutAnotherPurchaseIsNotBelieved() async {
        let verifier = ScriptedVerifier(look: { _, _ throws(VerificationFailure) in .known(.sample(id: "9")) })

        let attempt = await attempt(Sample.job(lane: Sample.apiProduction, policy: Self.always), verifier)

        #expect(attempt.settlement.candidates.isEmpty)
        #expect(attempt.settlement.reason == .unknownAnswer)
        #expect(!attempt.settlement.ends)
    }

    // MARK: Receipts without the purchase

    /// A receipt that shows other purchases, which no order waits for, one of them taken back, and a client that names `2`.
    private func attemptWithout(
        missingTimes: TimeInterval? = nil, route: ReceiptRoute = .localThenAPI, closed: LaneID? = nil, state: OrderState = .open,
        look: @escaping ScriptedVerifier.Look
    ) async -> (attempt: Attempt, calls: [Endpoint]) {
        let verifier = ScriptedVerifier(
            { _, _ throws(VerificationFailure) in
                .paid(
                    .sample(id: "1", product: "gems"), .sample(id: "3", product: "gems", revoked: Date()), mayBeIncomplete: true)
            }, look: look)
        let job = Sample.job(
            proof: "MII", lane: route == .localThenAPI ? Sample.apiProduction : Sample.local, missingTimes: missingTimes,
            age: missingTimes ?? 1, state: state, hint: "2", token: Self.token,
            policy: AppPolicy(allowsSandbox: true, receiptRoute: route))
        return (await attempt(job, verifier, gates: Sample.gates(closed: closed)), verifier.calls)
    }

    /// A consumable that was finished too early is in no receipt ever after.
    @Test func whatTheClientNamedIsAskedOfApple() async {
        let (attempt, calls) = await attemptWithout { id, _ throws(VerificationFailure) in
            .known(.sample(id: id, token: Self.token))
        }

        #expect(calls == [.local, .serverAPI(.production)])
        #expect(attempt.settlement.candidates.map(\.transaction.id.rawValue) == ["2"])
        #expect(attempt.settlement.others.map(\.transaction.id.rawValue) == ["1"])
    }

    /// Whoever names an id needn't have it: without a token a person decides, once no receipt showed it for a day.
    @Test(arguments: [nil, 25 * 3_600.0])
    func whatTheClientNamedWithoutATokenIsAwaitedInAReceipt(missingTimes: TimeInterval?) async {
        let (attempt, _) = await attemptWithout(missingTimes: missingTimes) { id, _ throws(VerificationFailure) in
            .known(.sample(id: id))
        }

        #expect(attempt.settlement.candidates.isEmpty)
        #expect(attempt.settlement.others.map(\.transaction.id.rawValue) == ["1"])
        #expect(attempt.settlement.ends == (missingTimes != nil))
        #expect(attempt.settlement.reason == (missingTimes == nil ? .purchaseNotInReceipt : .tokenMissing))
    }

    /// Nor is it known to anybody that it doesn't exist, while one environment can't be asked.
    @Test(
        arguments: [
            ("nobody knows it", nil, .notFound, .notFound, OrderOutcome.rejected(.purchaseNotInReceipt, nil)),
            ("it is no id", nil, .refused(.malformedProof), .notFound, .rejected(.purchaseNotInReceipt, nil)),
            ("the sandbox is closed", Sample.apiSandbox, .notFound, .notFound, .review(.transactionNotFound, nil)),
            ("the sandbox refuses the key", nil, .notFound, .unauthorized, .review(.transactionNotFound, nil)),
            ("production refuses the key", nil, .unauthorized, .notFound, .review(.transactionNotFound, nil)),
        ] as [(String, LaneID?, TransactionInfo, TransactionInfo, OrderOutcome)])
    func aFaultOfOursOrApplesRejectsNobodyInTheEnd(
        _ name: String, closed: LaneID?, production: TransactionInfo, sandbox: TransactionInfo, expected: OrderOutcome
    ) async {
        let look: ScriptedVerifier.Look = { _, environment throws(VerificationFailure) in
            environment == .production ? production : sandbox
        }

        let (first, _) = await attemptWithout(closed: closed, look: look)
        let (last, _) = await attemptWithout(missingTimes: 25 * 3_600, closed: closed, look: look)

        #expect(first.settlement.outcome == .unchanged)
        #expect(last.settlement.outcome == expected)
        for attempt in [first, last] {
            #expect(attempt.settlement.others.map(\.transaction.id.rawValue) == ["1"])
            #expect(attempt.settlement.lane == nil)
        }
    }

    @Test(arguments: [VerificationFailure.Kind.transient, .rateLimited, .configuration], AppStoreEnvironment.allCases)
    func whatTheReceiptShowsBesidesWaitsForNoCall(_ kind: VerificationFailure.Kind, failing: AppStoreEnvironment) async {
        let (attempt, _) = await attemptWithout { _, environment throws(VerificationFailure) in
            guard environment == failing else { return .notFound }
            throw VerificationFailure(kind, .appStoreUnavailable, message: "not now")
        }

        #expect(!attempt.settlement.ends)
        #expect(attempt.settlement.others.map(\.transaction.id.rawValue) == ["1"])
        #expect(attempt.settlement.revoked.map(\.id.rawValue) == ["3"])
        #expect(attempt.settlement.lane == nil)
    }

    @Test func aKeyThatBothRefuseParksTheReceiptAndLosesNothingOfIt() async {
        let (attempt, _) = await attemptWithout(missingTimes: 25 * 3_600) { _, _ throws(VerificationFailure) in .unauthorized }

        #expect(attempt.settlement.wait == .snooze(for: .seconds(60)))
        #expect(attempt.settlement.outcome == .unchanged)
        #expect(attempt.settlement.others.map(\.transaction.id.rawValue) == ["1"])
    }

    @Test(arguments: [TransactionInfo.notFound, .refused(.malformedProof)], [nil, Sample.apiSandbox])
    func whatAppleDoesNotKnowIsLookedForAgain(_ answer: TransactionInfo, closed: LaneID?) async {
        let (attempt, _) = await attemptWithout(closed: closed) { _, _ throws(VerificationFailure) in answer }

        #expect(!attempt.settlement.ends)
        #expect(attempt.settlement.reason == .purchaseNotInReceipt)
        #expect(attempt.settlement.others.map(\.transaction.id.rawValue) == ["1"])
        #expect(attempt.settlement.lane == nil)
    }

    /// Another proof paid for it.
    @Test(arguments: [OrderState.fulfilled, .refunded])
    func forAnOrderThatIsOverNothingIsAsked(_ state: OrderState) async {
        let (attempt, calls) = await attemptWithout(state: state) { id, _ throws(VerificationFailure) in
            .known(.sample(id: id, token: Self.token))
        }

        #expect(calls == [.local])
        #expect(attempt.settlement.ends)
        #expect(attempt.settlement.outcome == .unchanged)
    }

    @Test func anAppThatAsksNobodyAsksNobodyThen() async {
        let (attempt, calls) = await attemptWithout(route: .localOnly) { id, _ throws(VerificationFailure) in
            .known(.sample(id: id, token: Self.token))
        }

        #expect(calls == [.local])
        #expect(!attempt.settlement.ends)
    }

    // MARK: Bare ids

    private static let token = UUID()

    @Test func aBareIDPaysForTheOrderWhoseTokenItBears() async {
        let verifier = ScriptedVerifier(look: { id, _ throws(VerificationFailure) in
            .known(.sample(id: id, token: Self.token))
        })

        let attempt = await attempt(
            Sample.job(proof: "12345", lane: Sample.apiProduction, token: Self.token), verifier)

        #expect(attempt.settlement.heaviestObjections == [nil])
    }

    @Test(arguments: [
        (nil as UUID?, nil as UUID?, Reason.tokenMissing), (token, nil, .tokenMissing), (nil, token, .tokenMissing),
        (token, UUID(), .ownerMismatch),
    ])
    func aBareIDWithoutTheOrdersTokenIsLeftToAPerson(order: UUID?, transaction: UUID?, reason: Reason) async {
        let verifier = ScriptedVerifier(look: { id, _ throws(VerificationFailure) in
            .known(.sample(id: id, token: transaction))
        })

        let attempt = await attempt(Sample.job(proof: "12345", lane: Sample.apiProduction, token: order), verifier)

        #expect(attempt.settlement.outcome == .review(reason, nil))
        // Else a guessed id would bar the way of whoever paid.
        #expect(attempt.settlement.others.isEmpty)
    }

    @Test func anIDThatProductionDoesNotKnowIsLookedForInTheSandbox() async {
        let verifier = ScriptedVerifier(look: { id, environment throws(VerificationFailure) in
            environment == .production ? .notFound : .known(.sample(id: id, environment: .sandbox, token: Self.token))
        })

        let attempt = await attempt(
            Sample.job(
                proof: "12345", lane: Sample.apiProduction, allowsSandbox: true, token: Self.token), verifier)

        #expect(verifier.calls == [.serverAPI(.production), .serverAPI(.sandbox)])
        #expect(attempt.settlement.candidates.map(\.transaction.environment) == [.sandbox])
    }

    /// Nothing of production's waits behind the sandbox's gate, and nothing is asked about for ever.
    @Test(arguments: [true, false])
    func anIDThatProductionDoesNotKnowIsAskedForAgainAndThenParked(isClosed: Bool) async {
        let look: ScriptedVerifier.Look = { _, environment throws(VerificationFailure) in
            environment == .production ? .notFound : .unauthorized
        }
        let gates = Sample.gates(closed: isClosed ? Sample.apiSandbox : nil)

        for uncertain in [0, 2, 3, 100] {
            let attempt = await attempt(
                Sample.job(proof: "1000", lane: Sample.apiProduction, uncertain: uncertain), ScriptedVerifier(look: look),
                gates: gates)

            let isParked = uncertain > 2
            #expect(attempt.settlement.outcome == .unchanged)
            #expect(attempt.settlement.reason == .appStoreUnavailable)
            #expect(attempt.settlement.uncertain == !isParked)
            #expect((attempt.settlement.wait == .release) == isParked)
            #expect(attempt.settlement.lane == (isParked ? Sample.apiSandbox : nil))
        }
    }

    @Test func whatWasParkedForTheSandboxGoesOnOnceItsGateOpens() async {
        let verifier = ScriptedVerifier(look: { id, environment throws(VerificationFailure) in
            environment == .production ? .notFound : .known(.sample(id: id, environment: .sandbox, token: Self.token))
        })
        let job = Sample.job(proof: "1000", lane: Sample.apiSandbox, uncertain: 3, allowsSandbox: true, token: Self.token)

        let probing = await attempt(job, verifier, gates: Sample.gates(closed: Sample.apiSandbox))
        let going = await attempt(job, verifier)

        for attempt in [probing, going] {
            #expect(attempt.settlement.candidates.map(\.transaction.environment) == [.sandbox])
        }
    }

    /// Else one answer of production's would open the sandbox's gate.
    @Test func whatIsFoundInProductionSaysNothingOfTheSandbox() async {
        let verifier = ScriptedVerifier(look: { id, _ throws(VerificationFailure) in .known(.sample(id: id, token: Self.token)) })

        let attempt = await attempt(
            Sample.job(proof: "1000", lane: Sample.apiSandbox, token: Self.token), verifier,
            gates: Sample.gates(closed: Sample.apiSandbox))

        #expect(attempt.settlement.candidates.count == 1)
        #expect(attempt.calls.map(\.lane) == [Sample.apiProduction])
    }

    /// Else a production purchase would wait behind the sandbox's gate, which such failures close.
    @Test func anIDWhoseSandboxFailsStaysInItsLane() async {
        let verifier = ScriptedVerifier(look: { _, environment throws(VerificationFailure) in
            guard environment == .sandbox else { return .notFound }
            throw VerificationFailure(.transient, .appStoreUnavailable, message: "503")
        })

        let attempt = await attempt(Sample.job(proof: "1000", lane: Sample.apiProduction), verifier)

        #expect(attempt.settlement.lane == nil)
        #expect(attempt.calls.map(\.lane) == [Sample.apiProduction, Sample.apiSandbox])
    }

    @Test func anIDThatNobodyKnowsIsAskedForAgainAndThenRejected() async {
        let verifier = ScriptedVerifier(look: { _, _ throws(VerificationFailure) in .notFound })

        let first = await attempt(Sample.job(proof: "12345", lane: Sample.apiProduction), verifier)
        let last = await attempt(
            Sample.job(proof: "12345", lane: Sample.apiProduction, uncertain: RetryPolicy().uncertainAttempts - 1), verifier)

        #expect(!first.settlement.ends)
        #expect(last.settlement.outcome == .rejected(.transactionNotFound, nil))
    }

    @Test func anAppThatWasNeverReleasedIsAskedAboutInTheSandboxFromThenOn() async {
        let verifier = ScriptedVerifier(look: { id, environment throws(VerificationFailure) in
            environment == .production
                ? .unauthorized : .known(.sample(id: id, environment: .sandbox, token: Self.token))
        })
        let runner = AttemptRunner.sample(verifier)
        let job = Sample.job(
            proof: "12345", lane: Sample.apiProduction, allowsSandbox: true, token: Self.token)

        let first = await runner.attempt(job, deadline: .now + .seconds(60))
        let second = await runner.attempt(job, deadline: .now + .seconds(60))

        #expect(verifier.calls == [.serverAPI(.production), .serverAPI(.sandbox), .serverAPI(.sandbox)])
        #expect(first.settlement.candidates.count == 1)
        // Whoever probes the lane learns that it works.
        #expect(second.calls.contains { $0.lane == Sample.apiProduction && $0.result == .answered })
    }

    @Test func aKeyThatBothRefuseIsAFaultOfOurs() async {
        let verifier = ScriptedVerifier(look: { _, _ throws(VerificationFailure) in .unauthorized })

        let attempt = await attempt(Sample.job(proof: "12345", lane: Sample.apiProduction), verifier)

        #expect(attempt.settlement.wait == .snooze(for: .seconds(60)))
        #expect(!attempt.settlement.counts)
        guard case .misconfigured = attempt.calls.last?.result else {
            Issue.record("the gate stays open")
            return
        }
    }

    @Test func aKeyThatTheSandboxAloneRefusesLeavesProductionAlone() async {
        let verifier = ScriptedVerifier(look: { _, environment throws(VerificationFailure) in
            environment == .production ? .notFound : .unauthorized
        })

        let attempt = await attempt(Sample.job(proof: "12345", lane: Sample.apiProduction), verifier)

        guard case .retry = attempt.settlement.wait else {
            Issue.record("not asked for again: \(attempt.settlement.action)")
            return
        }
        #expect(attempt.settlement.outcome == .unchanged)
        #expect(attempt.calls.map(\.lane) == [Sample.apiProduction, Sample.apiSandbox])
        #expect(attempt.calls.first?.result == .answered)
        guard case .misconfigured = attempt.calls.last?.result else {
            Issue.record("the sandbox's gate stays open")
            return
        }
    }

    // MARK: Budgets and follow-ups

    @Test func aSpentBudgetPutsTheJobOffWithoutAnAttemptAndLeavesTheGateOpen() async {
        let verifier = ScriptedVerifier()
        let runner = AttemptRunner.sample(verifier, rateLimiter: RateLimiter { _, _ in nil })

        let attempt = await runner.attempt(
            Sample.job(lane: Sample.apiProduction, policy: Self.always), deadline: .now + .seconds(60))

        guard case .snooze = attempt.settlement.wait else {
            Issue.record("not put off but \(attempt.settlement.action)")
            return
        }
        #expect(attempt.settlement.reason == .rateLimited)
        #expect(!attempt.calls.contains { $0.lane == Sample.apiProduction })
        #expect(verifier.calls == [.local])
    }

    /// Its connection stood too late: nothing was sent, and nothing follows about Apple.
    @Test(arguments: [false, true])
    func aLateCallTakesAnotherTurn(isFollowUp: Bool) async {
        let isFirst = Mutex(true)
        let verifier = ScriptedVerifier(look: { id, environment throws(VerificationFailure) in
            let isLate = isFirst.withLock { first in
                defer { first = false }
                return first
            }
            guard !isLate else {
                throw VerificationFailure(.rateLimited, .rateLimited, message: "late", isLate: true)
            }
            return .known(.sample(id: id, environment: environment))
        })
        let job =
            isFollowUp
            ? Sample.job(lane: Sample.finishing, finished: "9", state: .fulfilled)
            : Sample.job(lane: Sample.apiProduction, policy: Self.always)

        let attempt = await attempt(job, verifier)

        #expect(verifier.latestStarts.count == 2)
        #expect(verifier.latestStarts.allSatisfy { $0 != nil })
        #expect(attempt.calls.filter { $0.lane == job.lane }.map(\.result) == [.answered])
        #expect(attempt.settlement.counts)
    }

    @Test func anAnswerToSlowDownIsHeededByTheWholeLane() async {
        let verifier = ScriptedVerifier(look: { _, _ throws(VerificationFailure) in
            throw VerificationFailure(.rateLimited, .rateLimited, message: "429", retryAfter: .seconds(7))
        })

        let attempt = await attempt(Sample.job(lane: Sample.apiProduction, policy: Self.always), verifier)

        #expect(attempt.calls.last?.result == .limited(.seconds(7)))
        #expect(!attempt.settlement.counts)
        guard case .snooze(let delay) = attempt.settlement.wait else {
            Issue.record("not put off but \(attempt.settlement.action)")
            return
        }
        #expect(delay >= .seconds(7))
    }

    @Test func aFollowUpTellsAppleAndLeavesTheOrderAlone() async {
        let verifier = ScriptedVerifier()

        let attempt = await attempt(
            Sample.job(lane: Sample.finishing, finished: "9", state: .fulfilled),
            verifier)

        #expect(verifier.finished == ["9"])
        #expect(attempt.settlement.outcome == .unchanged)
    }

    @Test func aFollowUpOfAnUnknownLaneIsHandedBack() async {
        let verifier = ScriptedVerifier()

        let attempt = await attempt(
            Sample.job(lane: LaneID(rawValue: 99), finished: "9", state: .fulfilled), verifier)

        #expect(verifier.calls.isEmpty)
        #expect(!attempt.settlement.counts)
        guard case .wait(.release, nil, lane: nil) = attempt.settlement.action else {
            Issue.record("not handed back but \(attempt.settlement.action)")
            return
        }
    }

    @Test func aFollowUpThatFailsForGoodEndsAndLeavesTheOrderAlone() async {
        let verifier = ScriptedVerifier(look: { _, _ throws(VerificationFailure) in .notFound })

        let attempt = await attempt(
            Sample.job(
                lane: Sample.finishing, finished: "9", uncertain: RetryPolicy().uncertainAttempts - 1, state: .fulfilled),
            verifier)

        #expect(attempt.settlement.ends)
        #expect(attempt.settlement.outcome == .unchanged)
        // A reason would count it among the orders that were rejected.
        #expect(attempt.settlement.reason == nil)
        #expect(attempt.settlement.message?.isEmpty == false)
    }
}

/// Ids that were asked about, in order.
final class Asked: Sendable {
    private let log = Mutex<[String]>([])

    var ids: [String] { log.withLock { $0 } }

    func add(_ id: String) { log.withLock { $0.append(id) } }
}
