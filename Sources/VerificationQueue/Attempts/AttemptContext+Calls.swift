// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Verification

/// The calls to the App Store Server API: each passes a gate, and waits for its turn in the budget that all workers share.
extension AttemptContext {
    enum SearchResult {
        case found(VerifiedTransactions)
        /// Neither environment knows it, with what the order gets should it never be found.
        case unknown(VerificationFailure.Ending)
        /// It can't be a transaction's id.
        case refused(Reason)
        /// Production doesn't know it, and the sandbox can't be asked: its gate is closed, or it refuses the key.
        case halfAsked

        /// Whether Apple knows no such transaction of the app.
        var isDenial: Bool {
            switch self {
            case .unknown(.rejected), .refused: true
            case .found, .unknown(.review), .halfAsked: false
            }
        }
    }

    /// Searches both environments for an id of which nothing else is known: production first, then the sandbox.
    mutating func search(for id: TransactionID) async throws(Conclusion) -> SearchResult {
        let bundleID = bundleID
        var search = EnvironmentSearch(isUnreleased: runner.unreleasedApps.contains(bundleID))
        while case .ask(let environment) = search.next {
            // Most purchases are production's and may be known there a moment later: they don't wait behind the sandbox's gate.
            if search.hasShownProductionOpen, let gate = runner.gates.gate(of: .serverAPI(environment), for: bundleID),
                !gate.isOpen, gate.lane != job.lane
            {
                end(search)
                return .halfAsked
            }
            switch try await lookUp(id, in: environment, budget: .getTransactionInfoOfBareID) {
            case .found(let transactions):
                search.note(.found, in: environment)
                end(search)
                return .found(
                    VerifiedTransactions(
                        transactions.all, mayBeIncomplete: false, provesPossession: false, isConfirmed: true))
            case .refused(let reason):
                end(search)
                return .refused(reason)
            case .notFound: search.note(.notFound, in: environment)
            case .unauthorized: search.note(.unauthorized, in: environment)
            }
        }
        if case .misconfigured(let environment) = search.next {
            let (conclusion, fault) = try await refusedKey(environment)
            // The sandbox's gate closes, and the job may wait there.
            guard search.hasShownProductionOpen, fault == .credential else { throw conclusion }
            end(search)
            return .halfAsked
        }
        end(search)
        // Where a refused key took part, nothing follows for the customer.
        return .unknown(search.next == .unresolved ? .review : .rejected)
    }

    /// Notes what the search showed about the app, and about the job's lane.
    ///
    /// A refused key that another answer excuses was an answer after all, also to a probe of the job's lane. That holds for
    /// production's lane; about the sandbox nothing is known before it was asked. If the sandbox doesn't know the id, nothing
    /// excuses production's refusal.
    private mutating func end(_ search: EnvironmentSearch) {
        runner.unreleasedApps.learn(from: search, about: bundleID)
        guard gate?.endpoint.environment != .sandbox, !calls.contains(where: { $0.lane == job.lane }) else { return }
        guard !search.leavesRefusalUnexplained else {
            calls.append(Attempt.Call(lane: job.lane, result: .credentialRefused))
            return
        }
        calls.append(
            Attempt.Call(
                lane: job.lane, result: .answered, accepted: credential(at: .serverAPI(.production), job.lane, isNeeded: true)))
    }

    /// Asks one environment for a transaction.
    mutating func lookUp(
        _ id: TransactionID, in environment: AppStoreEnvironment, budget: Budget.Endpoint
    ) async throws(Conclusion) -> TransactionInfo {
        let lane = try pass(.serverAPI(environment))
        self.environment = environment
        // A search doesn't know where its transaction is: if a call fails, the job stays in its lane.
        let isSearch = budget == .getTransactionInfoOfBareID
        if isSearch { _ = try await waitForTurn(budget, environment, nil) }
        let use = credential(at: .serverAPI(environment), lane, isNeeded: true)
        let (verifier, metrics) = (runner.verifier, runner.callMetrics)
        let bundleID = bundleID
        let deadline = deadline
        let answer = try await inTurn(.getTransactionInfo, environment, isSearch ? nil : lane) {
            latestStart throws(VerificationFailure) in
            try await metrics.measure(.serverAPI(environment), isRefusal: { $0.isUnauthorized }) { () throws(VerificationFailure) in
                try await verifier.lookUp(id, bundleID: bundleID, in: environment, startingBy: latestStart, deadline: deadline)
            }
        }
        switch answer {
        // The meaning of a refused key depends on the other environment.
        case .success(.unauthorized): return .unauthorized
        case .success(let info):
            calls.append(Attempt.Call(lane: lane, result: .answered, accepted: use?.finding(info.isFound)))
            // A consumable has one name: whatever its original is, this is another purchase.
            if case .found(let answer) = info, let found = answer.all.first, found.productKind == .consumable, found.id != id {
                throw contradiction("the App Store answered about another purchase", lane: isSearch ? nil : lane)
            }
            return info
        case .failure(let error):
            calls.append(Attempt.Call(lane: lane, result: Attempt.Call.Result(error)))
            throw failed(error, lane: isSearch ? nil : lane)
        }
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

    /// What the customer of a transaction bought of a product since some time, by Apple's history; nil where Apple doesn't say.
    ///
    /// It takes its turn in the budget of single transactions, which Apple counts apart: one job in a day asks so.
    mutating func history(
        of transaction: Transaction, _ product: ProductID, since: Date?
    ) async throws(Conclusion) -> VerifiedTransactions? {
        let environment = transaction.environment
        var lane = job.lane
        if gate?.endpoint != .serverAPI(environment), let next = runner.gates.gate(of: .serverAPI(environment), for: bundleID) {
            guard next.isOpen else { throw checkedLater("the gate of Apple's history is closed") }
            lane = next.lane
        }
        let use = credential(at: .serverAPI(environment), lane, isNeeded: true)
        let (verifier, metrics, bundleID, deadline) = (runner.verifier, runner.callMetrics, bundleID, deadline)
        let answer = try await inTurn(.getTransactionInfo, environment, nil) { latestStart throws(VerificationFailure) in
            try await metrics.measure(.serverAPI(environment), isRefusal: { $0.isUnauthorized }) { () throws(VerificationFailure) in
                try await verifier.history(
                    of: transaction.id, product: product, since: since, bundleID: bundleID, in: environment,
                    startingBy: latestStart, deadline: deadline)
            }
        }
        switch answer {
        case .success(.found(let transactions)):
            calls.append(Attempt.Call(lane: lane, result: .answered, accepted: use?.finding(true)))
            return transactions
        case .success: return nil
        case .failure(let error):
            calls.append(Attempt.Call(lane: lane, result: Attempt.Call.Result(error)))
            throw failed(error)
        }
    }

    /// The lane of a call that is about to be made. If its gate is closed, the job is released to wait there.
    func pass(_ endpoint: Endpoint) throws(Conclusion) -> LaneID {
        // The gate of the job's own lane was open at the claim, or this very job probes it.
        if gate?.endpoint == endpoint { return job.lane }
        guard let next = runner.gates.gate(of: endpoint, for: bundleID) else { return job.lane }
        guard next.isOpen else { throw released(to: next.lane, "the gate of the next call is closed") }
        return next.lane
    }

    /// Makes a call in its turn, and in another turn if no connection stood by the end of the first: nothing was sent then, and by
    /// now one stands.
    ///
    /// - Parameter call: gets the end of the turn, by which it must start.
    func inTurn<Answer: Sendable>(
        _ endpoint: Budget.Endpoint, _ environment: AppStoreEnvironment, _ lane: LaneID?,
        _ call: (ContinuousClock.Instant) async throws(VerificationFailure) -> Answer
    ) async throws(Conclusion) -> Result<Answer, VerificationFailure> {
        while true {
            let latestStart = try await waitForTurn(endpoint, environment, lane)
            do {
                return .success(try await call(latestStart))
            } catch {
                if !error.isLate { return .failure(error) }
            }
        }
    }

    /// - Returns: the end of the turn, by which the call must start.
    private func waitForTurn(
        _ endpoint: Budget.Endpoint, _ environment: AppStoreEnvironment, _ lane: LaneID?
    ) async throws(Conclusion) -> ContinuousClock.Instant {
        let budget = Budget(bundleID, endpoint, environment)
        switch await runner.rateLimiter.waitForTurn(of: budget, deadline: deadline) {
        case .granted(let latestStart): return latestStart
        case .refused(let delay):
            throw failed(
                VerificationFailure(
                    .rateLimited, .rateLimited, message: "the budget of calls is spent", retryAfter: delay),
                lane: lane)
        }
    }
}

extension TransactionInfo {
    fileprivate var isUnauthorized: Bool {
        if case .unauthorized = self { true } else { false }
    }
}
