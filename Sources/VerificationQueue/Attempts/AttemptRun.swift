// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Verification

/// One attempt, from its job to the settlement that it asks for.
///
/// | Step | Does | Concludes the attempt early when |
/// |---|---|---|
/// | read | recognises the proof | the proof can't be read: rejected, or left to an operator |
/// | route | chooses the way to a verdict | the job waits in the wrong lane for its first call: released to the right one |
/// | verify | finds the transactions of the proof, by its signature or by asking Apple | the proof is refused; a gate is closed, a budget is spent, a call fails |
/// | examine | asks Apple about periods that a receipt shows as cancelled | as confirm |
/// | judge | compares the transactions with the order | |
/// | confirm | asks Apple for the present state of what may be granted, and of a refund that may have been reversed | a gate is closed, a budget is spent, a call fails; Apple's answers contradict each other |
///
/// An early end is a normal one: a step throws a ``Conclusion``, which holds a settlement like any other. A failed call ends as the
/// ``RetryPolicy`` decides. Which candidate is granted is decided later, by the ledger, in the settlement.
///
/// An upload that names the payment which its order was granted mostly takes none of these steps: ``repetition()``.
struct AttemptRun {
    /// The next step, by the transactions of a proof.
    private enum Judged {
        case end(Settlement)
        /// Apple is asked first for the present state of these candidates.
        case unconfirmed([ShownPayment])
        /// These were signed so late that they may show the reversal of a refund.
        case perhapsReversed([ShownPayment])
        /// Its signature is old: the refund may have been reversed since.
        case staleRefund(Transaction)
        /// A receipt lacks the purchase, and Apple may know the transaction that the client named.
        case missing(TransactionID, Judgement)
    }

    let job: Job
    let runner: AttemptRunner
    let deadline: ContinuousClock.Instant

    /// The gate of the job's own lane.
    let gate: Gate?

    /// The calls that were made, for the breakers of their lanes.
    var calls: [Attempt.Call] = []

    /// The environment of the last call.
    var environment: AppStoreEnvironment?

    var proofKind: ProofKind?

    /// The transaction that the client named; nil once Apple denied that there is one.
    var hint: TransactionID?

    /// Whether Apple doesn't know a payment that it signed, by a key that has found nothing yet.
    var isByUnprovenKey = false

    /// The repairs that the proof needed.
    private(set) var repairs: [ProofRepair] = []

    init(_ job: Job, runner: AttemptRunner, deadline: ContinuousClock.Instant) {
        self.job = job
        self.runner = runner
        self.deadline = deadline
        gate = runner.gates[job.lane]
        hint = job.hintedTransactionID
    }

    mutating func run() async throws(Conclusion) -> Settlement {
        switch job.kind {
        case .notification: return try await recordNotification()
        case .finish: return try await finish()
        case .verify: break
        }
        if job.hintIsGrantedToOrder, let settlement = await repetition() { return settlement }

        let proof = try read()
        let path = try route(proof)
        var transactions = try await verify(proof, along: path)
        let cancelled = cancelledPeriods(of: transactions, along: path)
        if !cancelled.isEmpty { transactions = try await examine(cancelled, of: transactions) }
        switch judge(transactions, along: path) {
        case .end(let settlement): return settlement
        case .unconfirmed(let candidates): return try await confirm(candidates, of: transactions)
        case .perhapsReversed(let candidates): return try await confirmReversal(candidates, of: transactions)
        case .staleRefund(let refunded): return try await confirm(refund: refunded, of: transactions)
        case .missing(let id, let judgement): return try await searchNamed(id, besides: transactions, judgement)
        }
    }

    // MARK: Read

    @inline(never)  // See "Judge".
    mutating func read() throws(Conclusion) -> Proof {
        do {
            let found = try runner.verifier.readProof(job.proof)
            proofKind = found.proof.kind
            repairs = found.repairs
            return found.proof
        } catch where error.reason == .unsupportedEncoding {
            throw failed(
                VerificationFailure(
                    .needsAPerson, .unsupportedEncoding,
                    message: "the receipt is in BER's indefinite lengths and doesn't say that it is Xcode's"))
        } catch {
            throw refused(error.reason, error.mistake.map { "the proof can't be read: \($0)" } ?? "the proof can't be read")
        }
    }

    // MARK: Route

    /// Hands the job over to the lane of its first call, unless the job is there. The attempt then doesn't count.
    private func route(_ proof: Proof) throws(Conclusion) -> ProofPath {
        let path = ProofPath(proof, policy: job.policy)
        if let gate, path.mayStart(on: gate.endpoint.route) { return path }
        guard let gate = runner.gates.gate(of: path.firstEndpoint, for: job.order.bundleID) else {
            throw released(to: nil, "no gate for this kind of proof")
        }
        throw released(to: gate.lane, "another lane fits this proof")
    }

    // MARK: Verify

    private mutating func verify(_ proof: Proof, along path: ProofPath) async throws(Conclusion) -> VerifiedTransactions {
        switch path {
        case .local: return try await verify(proof, at: .local)
        case .verifyReceipt: return try await verify(proof, at: gate?.endpoint ?? .verifyReceipt(.production))
        case .lookUp(let id):
            switch try await search(for: id) {
            case .found(let transactions): return transactions
            case .refused(let reason): throw refused(reason)
            case .unknown(let ending): throw unknownID(ending)
            case .halfAsked: throw waitingForSandbox()
            }
        }
    }

    /// Verifies at one endpoint. verifyReceipt may name the other environment, which is asked then, once.
    ///
    /// - Parameter first: for verifyReceipt the environment that an earlier attempt learned, or production.
    private mutating func verify(_ proof: Proof, at first: Endpoint) async throws(Conclusion) -> VerifiedTransactions {
        var endpoint = first
        var mayAskAnother = first != .local
        let claims = first == .local ? ReceiptClaims() : runner.verifier.claims(of: proof)
        // Apple would compare the secret with that of another app.
        if let claimed = claims.bundleID, claimed != job.order.bundleID {
            throw refused(.wrongApp, "by its own bytes the receipt is another app's")
        }
        while true {
            let lane = try pass(endpoint)
            environment = endpoint.environment
            let evidence = try await ask(proof, at: endpoint, lane, claims)
            switch evidence {
            case .transactions(let transactions): return transactions
            case .refused(.malformedProof): throw refused(.malformedProof, runner.verifier.mistake(in: proof))
            case .refused(let reason): throw refused(reason)
            case .elsewhere(let other):
                guard mayAskAnother else {
                    throw contradiction("each environment names the other one", lane: job.lane)
                }
                mayAskAnother = false
                endpoint = .verifyReceipt(other)
            }
        }
    }

    private mutating func ask(
        _ proof: Proof, at endpoint: Endpoint, _ lane: LaneID, _ claims: ReceiptClaims
    ) async throws(Conclusion) -> Evidence {
        let use = endpoint == .local ? nil : credential(at: endpoint, lane, isNeeded: claims.holdsSubscription)
        do {
            let evidence = try await runner.verifier.verify(
                proof, bundleID: job.order.bundleID, at: endpoint, deadline: deadline)
            calls.append(Attempt.Call(lane: lane, result: .answered, accepted: evidence.accepted(use)))
            return evidence
        } catch where error.kind == .credentialRefused {
            return try await askAfterRefusal(proof, at: endpoint, lane, use, claims)
        } catch {
            calls.append(Attempt.Call(lane: lane, result: Attempt.Call.Result(error)))
            throw failed(error, lane: lane)
        }
    }

    // MARK: Judge

    // The functions that judge and make settlements are not inlined: their values would become part of the frames of the
    // asynchronous functions that call them, and be allocated for each attempt beyond what a task has at hand (it was 6 KB).

    @inline(never)
    private func judge(_ transactions: VerifiedTransactions, along path: ProofPath) -> Judged {
        let judgement = judge(transactions)
        // On every other path the transactions are Apple's answer of this moment.
        guard case .local(let confirmation) = path else { return .end(settlement(of: transactions, judgement)) }
        if judgement.verdict == .missing, transactions.mayBeIncomplete, job.policy.receiptRoute == .localThenAPI,
            !isPaidMeanwhile, let id = hint
        {
            return .missing(id, judgement)
        }
        let isStale = confirmation.isNeeded(signedAt: transactions.signedAt, now: job.claimedAt)
        if let refunded = judgement.verdict.takenBack {
            let isAsked = isStale && !transactions.mayBeIncomplete
            return isAsked ? .staleRefund(refunded) : .end(settlement(of: transactions, judgement))
        }
        switch judgement.verdict {
        case .candidates(let candidates) where isStale || job.policy.usesServerAPI && candidates.contains { needsConfirmation($0) }:
            return .unconfirmed(candidates)
        case .candidates(let candidates) where job.policy.usesServerAPI && candidates.contains { mayShowReversal($0) }:
            return .perhapsReversed(candidates)
        case .candidates, .rejected, .review, .missing:
            return .end(settlement(of: transactions, judgement))
        }
    }

    /// Whether nothing graver stands against it than that Apple didn't confirm its period.
    private func needsConfirmation(_ candidate: ShownPayment) -> Bool {
        objections(to: PaymentFacts(candidate)).first == .unconfirmedPeriod
    }

    private func mayShowReversal(_ candidate: ShownPayment) -> Bool {
        guard let signedAt = candidate.signedAt else { return false }
        return signedAt.timeIntervalSince(candidate.transaction.purchaseDate) >= AttemptRunner.soonestReversal
    }

    // MARK: Confirm

    /// Asks Apple about the candidates that no other order holds: at most one of them is granted, and the settlement knows enough
    /// about the others. A lone candidate is not looked up in the ledger.
    private mutating func confirm(
        _ candidates: [ShownPayment], of transactions: VerifiedTransactions
    ) async throws(Conclusion) -> Settlement {
        let free = try await freeCandidates(candidates)
        let asked = free.prefix(AttemptRunner.confirmations)
        guard !asked.isEmpty else { return settlement(of: transactions) }
        var confirmed: [TransactionID: Transaction] = [:]
        for candidate in asked {
            confirmed[candidate.transaction.id] = try await presentState(of: candidate.transaction)?.all.first
        }
        return settlement(of: transactions, offered: free, confirmed: confirmed)
    }

    /// Asks Apple about the candidates if the ledger has one of them as refunded at an earlier time than they were signed.
    private mutating func confirmReversal(
        _ candidates: [ShownPayment], of transactions: VerifiedTransactions
    ) async throws(Conclusion) -> Settlement {
        let facts = try await ledger(candidates)
        guard zip(candidates, facts).contains(where: { $1.mayBeReversed(by: $0) }) else { return settlement(of: transactions) }
        return try await confirm(candidates, of: transactions)
    }

    /// Asks Apple about a refund that was signed long ago. Where Apple doesn't know the transaction, the signature counts.
    private mutating func confirm(
        refund: Transaction, of transactions: VerifiedTransactions
    ) async throws(Conclusion) -> Settlement {
        guard let answer = try await presentState(of: refund)?.all.first else { return settlement(of: transactions) }
        return settlement(of: transactions, offered: [], confirmed: [refund.id: answer])
    }

    /// Apple's present record of a transaction that a proof shows, which is the first in it; nil where Apple doesn't know it.
    mutating func presentState(of transaction: Transaction) async throws(Conclusion) -> VerifiedTransactions? {
        let id = transaction.id
        let environment = transaction.environment
        var info = try await lookUp(id, in: environment, budget: .getTransactionInfo)
        // The bearer token may be at fault; the client makes a new one. A closed gate would hold up every customer of the app.
        if case .unauthorized = info { info = try await lookUp(id, in: environment, budget: .getTransactionInfo) }
        switch info {
        case .found(let answer):
            // Apple may know one purchase by several ids; the original id is the same for all.
            guard answer.all.first?.originalID == transaction.originalID else {
                throw contradiction("the App Store answered about another purchase", lane: lane)
            }
            return answer
        case .notFound:
            try await noteUnfound(id)
            return nil
        case .refused: throw contradiction("the App Store refuses an id that it signed", lane: lane)
        case .unauthorized: throw try await refusedKey(environment).0
        }
    }

    /// The candidates that the ledger doesn't hold for another order at this moment. Refunded ones come last: otherwise they would
    /// keep the others from being asked about each time.
    private func freeCandidates(_ candidates: [ShownPayment]) async throws(Conclusion) -> [ShownPayment] {
        guard candidates.count > 1 else { return candidates }
        let free = zip(candidates, try await ledger(candidates)).filter { $1.holder == nil }
        return (free.filter { !$1.isRevoked } + free.filter { $1.isRevoked }).map(\.0)
    }

    @inline(never)  // See "Judge".
    private func objections(to payment: PaymentFacts) -> [Objection] {
        Fit.objectionsInAnyState(to: payment, for: job.order, under: job.policy)
    }

    /// The ledger's present facts about candidates, in their order.
    func ledger(_ candidates: [ShownPayment]) async throws(Conclusion) -> [LedgerFacts] {
        do {
            return try await runner.ledger(candidates, job)
        } catch {
            throw released(to: nil, "the ledger could not be read")
        }
    }

    /// Asks Apple for the transaction that the client named and that the receipt lacks: the receipt was issued before the purchase, or
    /// after a consumable was finished.
    ///
    /// Anybody may name an id. If the named transaction would need an operator, the job waits for a receipt that shows it. The
    /// payments that the receipt itself shows are recorded in any case.
    private mutating func searchNamed(
        _ id: TransactionID, besides transactions: VerifiedTransactions, _ judgement: Judgement
    ) async throws(Conclusion) -> Settlement {
        do {
            let found = try await search(for: id)
            if found.isDenial, let settlement = try await settlementWithoutHint(of: transactions) { return settlement }
            return settlement(ofNamed: found, besides: transactions, judgement)
        } catch {
            throw error.showing(judgement)
        }
    }

    /// The grant of a purchase that nobody has claimed, where Apple denies what the client named: the denied id is no hint.
    ///
    /// Apple may know the id a moment later. A purchase that another order holds, or that was made for one, therefore decides nothing,
    /// and neither does a refund.
    ///
    /// - Returns: nil where the job goes on waiting for what the client named.
    private mutating func settlementWithoutHint(of transactions: VerifiedTransactions) async throws(Conclusion) -> Settlement? {
        let named = hint
        hint = nil
        defer { hint = named }
        guard case .candidates(let candidates) = judge(transactions).verdict else { return nil }
        // The ledger doesn't have the proof's own words yet.
        let unclaimed = zip(candidates, try await ledger(candidates)).filter { candidate, facts in
            facts.ownOrder == nil && objections(to: PaymentFacts(candidate)).isEmpty
                && objections(to: PaymentFacts(candidate, ledger: facts)).isEmpty
        }.map(\.0)
        guard !unclaimed.isEmpty else { return nil }
        let settlement = try await confirm(unclaimed, of: transactions)
        return settlement.candidates.first.map { objections(to: PaymentFacts($0)).isEmpty } == true ? settlement : nil
    }

    // MARK: Notifications

    /// Finds out what a notification tells, by its signatures. What it means to orders, the settlement decides.
    private func recordNotification() async throws(Conclusion) -> Settlement {
        guard let gate else { throw released(to: nil, "no gate for this app") }
        let notification: StoreNotification
        do {
            notification = try await runner.verifier.verifyNotification(job.proof)
        } catch {
            return Settlement(job, recording: NotificationEffects(refused: error))
        }
        // Its row says so, which was made of the same text.
        guard notification.bundleID == gate.bundleID else {
            return Settlement(job, recording: NotificationEffects(refused: .wrongApp))
        }
        return Settlement(job, recording: NotificationEffects(of: notification))
    }

    // MARK: Follow-ups

    /// Tells Apple that a granted transaction is finished. The order stays as it is, whatever Apple answers.
    private mutating func finish() async throws(Conclusion) -> Settlement {
        guard let id = job.hintedTransactionID, let environment = gate?.endpoint.environment else {
            return Settlement(job, .end(.unchanged), message: "this follow-up names no transaction")
        }
        self.environment = environment
        let use = gate.flatMap { credential(at: $0.endpoint, job.lane, isNeeded: true) }
        let verifier = runner.verifier
        let bundleID = job.order.bundleID
        let deadline = deadline
        let answer = try await inTurn(.finishTransaction, environment, job.lane) { latestStart throws(VerificationFailure) in
            try await verifier.finish(id, bundleID: bundleID, in: environment, startingBy: latestStart, deadline: deadline)
        }
        switch answer {
        case .success:
            calls.append(Attempt.Call(lane: job.lane, result: .answered, accepted: use?.finding(true)))
            return Settlement(job, .end(.unchanged), environment: environment)
        case .failure(let error) where error.kind == .credentialRefused:
            throw refused("the key of the App Store Server API", try await standing(of: use), in: job.lane)
        case .failure(let error):
            calls.append(Attempt.Call(lane: job.lane, result: Attempt.Call.Result(error)))
            throw failed(error, lane: job.lane)
        }
    }
}
