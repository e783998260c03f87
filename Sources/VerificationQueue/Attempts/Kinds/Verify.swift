// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Verification

/// An attempt that verifies a proof for an order.
///
/// | Step | Does | Concludes the attempt early when |
/// |---|---|---|
/// | repetition | ends what names the payment that its order was granted, mostly: ``repetition()`` | the order has its payment |
/// | read | recognises the proof | the proof can't be read: rejected, or left to an operator |
/// | route | chooses the way to a verdict | the job waits in the wrong lane for its first call: released to the right one |
/// | verify | finds the transactions of the proof, by its signature or by asking Apple | the proof is refused; a gate is closed, a budget is spent, a call fails |
/// | examine | asks Apple about periods that a receipt shows as cancelled | as confirm |
/// | judge | compares the transactions with the order | |
/// | confirm | asks Apple for the present state of what may be granted, and of a refund that may have been reversed | a gate is closed, a budget is spent, a call fails; Apple's answers contradict each other |
/// | find | where a receipt lacks the purchase, looks for it elsewhere: ``findMissing(besides:_:along:)`` | as confirm |
///
/// An early end is a normal one: a step throws a ``Conclusion``, which holds a settlement like any other. A failed call ends as the
/// ``RetryPolicy`` decides. Which candidate is granted is decided later, by the ledger, in the settlement.
struct Verify {
    /// The next step, by the transactions of a proof.
    private enum Judged {
        case end(Settlement)
        /// Apple is asked first for the present state of these candidates.
        case unconfirmed([ShownPayment])
        /// These were signed so late that they may show the reversal of a refund.
        case perhapsReversed([ShownPayment])
        /// Its signature is old: the refund may have been reversed since.
        case staleRefund(Transaction)
        /// A receipt lacks the purchase.
        case missing(Judgement)
    }

    let upload: Upload
    var attempt: AttemptContext

    /// The transaction that the client named; nil once Apple denied that there is one.
    var hint: TransactionID?

    init(_ upload: Upload, _ attempt: AttemptContext) {
        self.upload = upload
        self.attempt = attempt
        hint = upload.hint
    }

    var order: Order { upload.ordered.order }
    var policy: AppPolicy { upload.ordered.policy }

    mutating func run() async throws(Conclusion) -> Settlement {
        if upload.hintIsGranted, let settlement = await repetition() { return settlement }
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
        case .missing(let judgement): return try await findMissing(besides: transactions, judgement, along: path)
        }
    }

    // MARK: Read

    @inline(never)  // See "Judge".
    mutating func read() throws(Conclusion) -> Proof {
        do {
            let found = try attempt.runner.verifier.readProof(upload.proof)
            attempt.proofKind = found.proof.kind
            attempt.repairs = found.repairs
            return found.proof
        } catch  where error.reason == .unsupportedEncoding {
            throw attempt.failed(
                VerificationFailure(
                    .needsAPerson, .unsupportedEncoding,
                    message: "the receipt is in BER's indefinite lengths and doesn't say that it is Xcode's"))
        } catch {
            throw attempt.refused(error.reason, error.mistake.map { "the proof can't be read: \($0)" } ?? "the proof can't be read")
        }
    }

    // MARK: Route

    /// Hands the job over to the lane of its first call, unless the job is there. The attempt then doesn't count.
    private func route(_ proof: Proof) throws(Conclusion) -> ProofPath {
        let path = ProofPath(proof, policy: policy)
        if let gate = attempt.gate, path.mayStart(on: gate.endpoint.route) { return path }
        guard let gate = attempt.runner.gates.gate(of: path.firstEndpoint, for: attempt.bundleID) else {
            throw attempt.released(to: nil, "no gate for this kind of proof")
        }
        throw attempt.released(to: gate.lane, "another lane fits this proof")
    }

    // MARK: Verify

    private mutating func verify(_ proof: Proof, along path: ProofPath) async throws(Conclusion) -> VerifiedTransactions {
        switch path {
        case .local: return try await verify(proof, at: .local)
        case .verifyReceipt: return try await verify(proof, at: attempt.gate?.endpoint ?? .verifyReceipt(.production))
        case .lookUp(let id):
            switch try await attempt.search(for: id) {
            case .found(let transactions): return transactions
            case .refused(let reason): throw attempt.refused(reason)
            case .unknown(let ending): throw attempt.unknownID(ending)
            case .halfAsked: throw attempt.waitingForSandbox()
            }
        }
    }

    /// Verifies at one endpoint. verifyReceipt may name the other environment, which is asked then, once.
    ///
    /// - Parameter first: for verifyReceipt the environment that an earlier attempt learned, or production.
    private mutating func verify(_ proof: Proof, at first: Endpoint) async throws(Conclusion) -> VerifiedTransactions {
        var endpoint = first
        var mayAskAnother = first != .local
        let claims = first == .local ? ReceiptClaims() : attempt.runner.verifier.claims(of: proof)
        // Apple would compare the secret with that of another app.
        if let claimed = claims.bundleID, claimed != attempt.bundleID {
            throw attempt.refused(.wrongApp, "by its own bytes the receipt is another app's")
        }
        while true {
            let lane = try attempt.pass(endpoint)
            attempt.environment = endpoint.environment
            let evidence = try await ask(proof, at: endpoint, lane, claims)
            switch evidence {
            case .transactions(let transactions): return transactions
            case .refused(let reason) where reason == .malformedProof || reason == .notAPurchase:
                throw attempt.refused(reason, attempt.runner.verifier.mistake(in: proof))
            case .refused(let reason): throw attempt.refused(reason)
            case .elsewhere(let other):
                guard mayAskAnother else {
                    throw attempt.contradiction("each environment names the other one", lane: attempt.job.lane)
                }
                mayAskAnother = false
                endpoint = .verifyReceipt(other)
            }
        }
    }

    private mutating func ask(
        _ proof: Proof, at endpoint: Endpoint, _ lane: LaneID, _ claims: ReceiptClaims
    ) async throws(Conclusion) -> Evidence {
        let use = endpoint == .local ? nil : attempt.credential(at: endpoint, lane, isNeeded: claims.holdsSubscription)
        let (verifier, metrics) = (attempt.runner.verifier, attempt.runner.callMetrics)
        let (bundleID, deadline) = (attempt.bundleID, attempt.deadline)
        do {
            let evidence = try await metrics.measure(endpoint) { () throws(VerificationFailure) in
                try await verifier.verify(proof, bundleID: bundleID, at: endpoint, deadline: deadline)
            }
            attempt.calls.append(Attempt.Call(lane: lane, result: .answered, accepted: evidence.accepted(use)))
            return evidence
        } catch  where error.kind == .credentialRefused {
            return try await askAfterRefusal(proof, at: endpoint, lane, use, claims)
        } catch {
            attempt.calls.append(Attempt.Call(lane: lane, result: Attempt.Call.Result(error)))
            if let placed = try await place(error.odd?.unplaced) { return .transactions(placed) }
            throw attempt.failed(error, lane: lane)
        }
    }

    /// Apple's word about a transaction that doesn't name its environment; nil where Apple can't be asked or doesn't know it.
    private mutating func place(_ unplaced: OddProof.Unplaced?) async throws(Conclusion) -> VerifiedTransactions? {
        guard let unplaced, unplaced.bundleID == attempt.bundleID, policy.receiptRoute != .localOnly,
            attempt.runner.verifier.credential(of: attempt.bundleID, on: .serverAPI) != nil
        else { return nil }
        switch try await attempt.search(for: unplaced.id) {
        case .found(let found):
            guard found.all.first?.originalID == unplaced.originalID else { return nil }
            // The signed text shows that its sender has it.
            return VerifiedTransactions(found.all, mayBeIncomplete: false, isConfirmed: true)
        case .halfAsked: throw attempt.waitingForSandbox()
        case .unknown, .refused: return nil
        }
    }

    // MARK: Judge

    // The functions that judge and make settlements are not inlined: their values would become part of the frames of the
    // asynchronous functions that call them, and be allocated for each attempt beyond what a task has at hand (it was 6 KB).

    @inline(never)
    private func judge(_ transactions: VerifiedTransactions, along path: ProofPath) -> Judged {
        let judgement = judge(transactions)
        if judgement.verdict == .missing, transactions.mayBeIncomplete, !isPaidMeanwhile { return .missing(judgement) }
        // On every other path the transactions are Apple's answer of this moment.
        guard case .local(let confirmation) = path else { return .end(settlement(of: transactions, judgement)) }
        let isStale = confirmation.isNeeded(signedAt: transactions.signedAt, now: attempt.job.claimedAt)
        if let refunded = judgement.verdict.takenBack {
            let isAsked = isStale && !transactions.mayBeIncomplete
            return isAsked ? .staleRefund(refunded) : .end(settlement(of: transactions, judgement))
        }
        switch judgement.verdict {
        case .candidates(let candidates) where isStale || policy.usesServerAPI && candidates.contains { needsConfirmation($0) }:
            return .unconfirmed(candidates)
        case .candidates(let candidates) where policy.usesServerAPI && candidates.contains { mayShowReversal($0) }:
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
}
