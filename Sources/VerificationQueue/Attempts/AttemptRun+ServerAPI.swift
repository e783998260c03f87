// SPDX-License-Identifier: Apache-2.0

import Verification

/// Asking the App Store Server API.
extension AttemptRun {
    enum LocalResult {
        case settled(Settlement)
        /// Apple has to say first what became of these since they were signed.
        case unconfirmed([Candidate])
        /// A receipt without the purchase; Apple may know the transaction that the client named.
        case missing(TransactionID, Judgement)
    }

    /// What a signature proved, by itself.
    @inline(never)  // See "Deciding".
    func judgeLocally(_ transactions: VerifiedTransactions, _ confirmation: Confirmation) -> LocalResult {
        let judgement = judge(transactions)
        if judgement.verdict == .missing, transactions.mayBeIncomplete, job.policy.receiptRoute == .localThenAPI,
            !isPaidMeanwhile, let id = job.hintedTransactionID
        {
            return .missing(id, judgement)
        }
        guard case .candidates(let candidates) = judgement.verdict,
            confirmation.isNeeded(signedAt: transactions.signedAt, now: job.claimedAt)
                || job.policy.usesServerAPI && candidates.contains(where: { $0.obstacle == .subscriptionUnconfirmed })
        else { return .settled(settle(transactions, judgement)) }
        return .unconfirmed(candidates)
    }

    /// Settles what a signature proved, once Apple said what became of it since.
    ///
    /// Of several payments in one receipt those are asked about that no other order holds, because one of them will be
    /// granted; of the others the settlement knows enough.
    mutating func confirm(
        _ candidates: [Candidate], of transactions: VerifiedTransactions
    ) async throws(End) -> Settlement {
        let free = try await freeCandidates(candidates)
        let asked = free.prefix(AttemptRunner.confirmations)
        guard !asked.isEmpty else { return settle(transactions) }
        var confirmed: [TransactionID: Transaction] = [:]
        for candidate in asked {
            let id = candidate.transaction.id
            var found = try await lookUp(id, in: candidate.transaction.environment, budget: .getTransactionInfo)
            // Said once, it may be of the token, which is made anew: a closed gate holds up every customer of the app.
            if case .unauthorized = found {
                found = try await lookUp(id, in: candidate.transaction.environment, budget: .getTransactionInfo)
            }
            switch found {
            case .found(let answer):
                // Of one purchase Apple may know several ids; what it restores is the same.
                guard let told = answer.all.first, told.originalID == candidate.transaction.originalID else {
                    throw contradiction("the App Store told of another purchase than was asked for", lane: lane)
                }
                confirmed[id] = told
            case .notFound: continue
            case .refused: throw contradiction("the App Store refuses an id that it signed", lane: lane)
            case .unauthorized: throw misconfigured(candidate.transaction.environment)
            }
        }
        return settle(transactions, offered: free, confirmed: confirmed)
    }

    /// What Apple didn't confirm is not offered; it is known all the same, and waits as unclaimed.
    @inline(never)  // See "Deciding".
    private func settle(
        _ transactions: VerifiedTransactions, offered: [Candidate], confirmed: [TransactionID: Transaction]
    ) -> Settlement {
        let unconfirmed = offered.map(\.transaction).filter { confirmed[$0.id] == nil }
        let left = Set(unconfirmed.map(\.id))
        let known = VerifiedTransactions(
            transactions.all.filter { !left.contains($0.id) }.flatMap { Self.confirmed($0, as: confirmed[$0.id]) },
            mayBeIncomplete: transactions.mayBeIncomplete || !unconfirmed.isEmpty, isConfirmed: true,
            skipped: transactions.skipped)
        let judgement = judge(known)
        let endsOrder =
            switch judgement.verdict {
            case .refunded, .rejected: true
            case .candidates, .review, .missing: false
            }
        guard endsOrder, !unconfirmed.isEmpty else { return settle(known, judgement, unconfirmed: unconfirmed) }
        // What Apple doesn't know yet may still pay for it.
        return settle(
            known, Judgement(verdict: .missing, unclaimed: judgement.unclaimed, revoked: judgement.revoked),
            unconfirmed: unconfirmed)
    }

    /// What Apple says of a transaction, also under the id that it was asked by: its client knows it by that.
    private static func confirmed(_ transaction: Transaction, as answer: Transaction?) -> [Transaction] {
        guard let answer else { return [transaction] }
        guard answer.id != transaction.id else { return [answer] }
        var known = answer
        known.id = transaction.id
        return [answer, known]
    }

    /// Those that the ledger doesn't hold for another order, as of now; last those that were taken back, which would keep others
    /// from being asked about each time.
    private func freeCandidates(_ candidates: [Candidate]) async throws(End) -> [Candidate] {
        guard candidates.count > 1 else { return candidates }
        do {
            let facts = try await executor.ledger(candidates, job.order.id)
            let free = zip(candidates, facts).filter { $1.holder == nil }
            return (free.filter { !$1.isRevoked } + free.filter { $1.isRevoked }).map(\.0)
        } catch {
            throw release(to: nil, "the ledger could not be read")
        }
    }

    /// Settles a receipt that lacks what the client named: it was issued before the purchase, or after a consumable was finished.
    ///
    /// Whoever names an id needn't have the purchase, so what would be a person's to decide waits for a receipt that shows it.
    /// What the receipt shows besides waits for nothing.
    mutating func searchNamed(
        _ id: TransactionID, in transactions: VerifiedTransactions, _ judgement: Judgement
    ) async throws(End) -> Settlement {
        let result: SearchResult
        do { result = try await search(for: id) } catch { throw error.showing(judgement) }
        let named: VerifiedTransactions
        switch result {
        case .found(let transactions): named = transactions
        case .unknown(.rejected), .refused: return settle(transactions, judgement)
        case .unknown(.review), .halfAsked: return settle(transactions, judgement, isHalfAsked: true)
        }
        let further = judge(named)
        switch further.verdict {
        case .candidates, .refunded: break
        case .review where isFinalCheck: break
        case .review, .rejected, .missing: return settle(transactions, judgement)
        }
        return settle(
            named,
            Judgement(
                verdict: further.verdict, unclaimed: judgement.unclaimed + further.unclaimed,
                revoked: judgement.revoked + further.revoked))
    }

    enum SearchResult {
        case found(VerifiedTransactions)
        /// As what it ends, should it never be found.
        case unknown(VerificationFailure.Ending)
        /// It can't be a transaction's id.
        case refused(Reason)
        /// Production doesn't know it, and the sandbox can't be asked: its gate is closed, or it refuses the key.
        case halfAsked
    }

    /// What Apple knows of an id of which nothing else is known: production first, then the sandbox.
    mutating func search(for id: TransactionID) async throws(End) -> SearchResult {
        let bundleID = job.order.bundleID
        var search = EnvironmentSearch(isUnreleased: executor.unreleasedApps.contains(bundleID))
        while case .ask(let environment) = search.next {
            // Most purchases are production's, and may be known there a moment later: they don't wait behind the sandbox's gate.
            if search.hasShownProductionOpen, let gate = executor.gates.gate(of: .serverAPI(environment), for: bundleID),
                !gate.isOpen, gate.lane != job.lane
            {
                conclude(search)
                return .halfAsked
            }
            switch try await lookUp(id, in: environment, budget: .getTransactionInfoOfBareID) {
            case .found(let transactions):
                search.note(.found, in: environment)
                conclude(search)
                return .found(
                    VerifiedTransactions(
                        transactions.all, mayBeIncomplete: false, provesPossession: false, isConfirmed: true))
            case .refused(let reason):
                conclude(search)
                return .refused(reason)
            case .notFound: search.note(.notFound, in: environment)
            case .unauthorized: search.note(.unauthorized, in: environment)
            }
        }
        if case .misconfigured(let environment) = search.next {
            let end = misconfigured(environment)
            guard search.hasShownProductionOpen else { throw end }
            conclude(search)
            return .halfAsked
        }
        conclude(search)
        // Where a refused key took part, nothing follows for the customer.
        return .unknown(search.next == .unresolved ? .review : .rejected)
    }

    /// A refused key that another answer excuses was an answer after all, also to whoever probes the job's lane. That is
    /// production's; of the sandbox nothing is known before it was asked.
    private mutating func conclude(_ search: EnvironmentSearch) {
        executor.unreleasedApps.learn(from: search, about: job.order.bundleID)
        if gate?.endpoint.environment != .sandbox, !calls.contains(where: { $0.lane == job.lane }) {
            calls.append(Attempt.Call(lane: job.lane, result: .answered))
        }
    }

    private mutating func lookUp(
        _ id: TransactionID, in environment: AppStoreEnvironment, budget: Budget.Endpoint
    ) async throws(End) -> TransactionInfo {
        let lane = try pass(.serverAPI(environment))
        self.environment = environment
        // Where an id is looked for says nothing of where it is: its job changes no lane for a call that failed.
        let isSearch = budget == .getTransactionInfoOfBareID
        if isSearch { try await waitForTurn(budget, environment, nil) }
        try await waitForTurn(.getTransactionInfo, environment, isSearch ? nil : lane)
        do {
            let answer = try await executor.verifier.lookUp(
                id, bundleID: job.order.bundleID, in: environment, deadline: deadline)
            // What a refused key means depends on the other environment.
            if case .unauthorized = answer { return answer }
            calls.append(Attempt.Call(lane: lane, result: .answered))
            return answer
        } catch {
            calls.append(Attempt.Call(lane: lane, result: Self.result(of: error)))
            throw fail(error, lane: isSearch ? nil : lane)
        }
    }

    func waitForTurn(
        _ endpoint: Budget.Endpoint, _ environment: AppStoreEnvironment, _ lane: LaneID?
    ) async throws(End) {
        let budget = Budget(job.order.bundleID, endpoint, environment)
        if case .refused(let delay) = await executor.rateLimiter.waitForTurn(of: budget, deadline: deadline) {
            throw fail(
                VerificationFailure(
                    .rateLimited, .rateLimited, message: "the budget of calls is spent", retryAfter: delay),
                lane: lane)
        }
    }
}
