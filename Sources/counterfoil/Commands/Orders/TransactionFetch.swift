// SPDX-License-Identifier: Apache-2.0

import AppStore
import CommandSupport
import Postgres
import Schema
import Verification
import VerificationQueue

/// Asks Apple for an operator, within the budget that the workers share.
struct TransactionFetch {
    /// Apple's answer, whose signature holds.
    struct Fetched {
        let transaction: Transaction
        /// The facts that can't be read: ``OddProof/faults``.
        var faults: [String] = []
    }

    let assembly: Assembly
    let pool: PostgresPool

    /// The longest wait for a start time, and for an answer.
    private static let patience = Duration.seconds(30)

    /// - Parameter environment: where to ask; nil: in production, then in the sandbox.
    /// - Throws: ``CommandFailure`` when Apple doesn't know it, or doesn't answer.
    func fetch(
        _ id: TransactionID, for order: OrderID, in environment: AppStoreEnvironment?
    ) async throws -> Fetched {
        let rows = try await pool.execute(SQLFile.showOrder.statement, [.text(order.rawValue)])
        guard let row = rows.first else { throw OperatorError.noSuchOrder }
        let (bundle, product) = (BundleID(rawValue: try row.string(1)), ProductID(rawValue: try row.string(2)))
        return try await fetch(id, of: bundle, product, in: environment)
    }

    /// - Parameters:
    ///   - product: what it is taken for where Apple's answer lacks it; nil: an answer that lacks a fact is refused.
    ///   - environment: where to ask; nil: in production, then in the sandbox.
    /// - Throws: ``CommandFailure`` when Apple doesn't know it, or doesn't answer.
    func fetch(
        _ id: TransactionID, of bundle: BundleID, _ product: ProductID? = nil, in environment: AppStoreEnvironment?
    ) async throws -> Fetched {
        try await withVerifier { verifier in
            try await ask(verifier, id, bundle, product, environment.map { [$0] } ?? [.production, .sandbox])
        }
    }

    /// Asks Apple for the transactions of one of Apple's orders. Its id stands on Apple's mail to the customer.
    ///
    /// - Throws: ``CommandFailure`` when Apple doesn't answer.
    func fetch(appleOrder: String, of bundle: BundleID) async throws -> [Transaction] {
        try await withVerifier { verifier in
            do {
                let found = try await verifier.transactions(ofAppleOrder: appleOrder, of: bundle, deadline: .now + Self.patience)
                guard let found else { throw Self.refusedKey }
                return found
            } catch let failure as VerificationFailure {
                throw Self.noAnswer(failure)
            }
        }
    }

    /// Asks Apple for the newest of each subscription of the customer who made a transaction.
    ///
    /// - Parameter environments: where to ask, in this order, until one knows it.
    /// - Throws: ``CommandFailure`` when Apple doesn't know it, or doesn't answer.
    func subscriptions(
        of id: TransactionID, of bundle: BundleID, in environments: [AppStoreEnvironment]
    ) async throws -> [SubscriptionWord] {
        try await withVerifier { verifier in
            var isRefused = false
            for environment in environments {
                let words: [SubscriptionWord]?
                do {
                    words = try await inTurn(Budget(bundle, .getAllSubscriptionStatuses, environment)) {
                        (latestStart, deadline) async throws(VerificationFailure) in
                        try await verifier.subscriptions(
                            of: id, of: bundle, in: environment, startingBy: latestStart, deadline: deadline)
                    }
                } catch let failure as VerificationFailure {
                    throw Self.noAnswer(failure)
                }
                if let words, !words.isEmpty { return words }
                isRefused = isRefused || words == nil
            }
            if isRefused { throw Self.refusedKey }
            throw CommandFailure(.failure, "Apple knows no subscription of this transaction")
        }
    }

    private static func noAnswer(_ failure: VerificationFailure) -> CommandFailure {
        CommandFailure(.temporaryFailure, "Apple was asked and gave no answer: \(failure.message)", mend: failure.mend)
    }

    private static let refusedKey = CommandFailure(
        .failure, "the App Store Server API refuses the app's key, so that Apple could not be asked")

    private func withVerifier<Value>(_ body: (AppStoreVerifier) async throws -> Value) async throws -> Value {
        assembly.clock.follow(try await pool.execute(SQLFile.inspectSession.statement)[0].timestamp(3).date)
        let verifier = try assembly.makeVerifier(connections: 1)
        let answer: Result<Value, any Error>
        do {
            answer = .success(try await body(verifier))
        } catch {
            answer = .failure(error)
        }
        try? await verifier.shutdown()
        return try answer.get()
    }

    private func ask(
        _ verifier: AppStoreVerifier, _ id: TransactionID, _ bundle: BundleID, _ product: ProductID?,
        _ environments: [AppStoreEnvironment]
    ) async throws -> Fetched {
        var isRefused = false
        for environment in environments {
            let answer: TransactionInfo
            do {
                answer = try await ask(verifier, id, bundle, in: environment)
            } catch let failure as VerificationFailure {
                guard let odd = failure.odd else {
                    throw Self.noAnswer(failure)
                }
                guard let product else {
                    throw CommandFailure(
                        .failure,
                        "Apple signed it, and a fact can't be read: \(odd.faults.joined(separator: ", ")). Nothing is recorded")
                }
                let asked = OddProof.Asked(bundleID: bundle, environment: environment, id: id, productID: product)
                guard let rest = odd.completed(by: asked) else {
                    throw CommandFailure(.failure, "the transaction can't be assigned: \(failure.message)")
                }
                return Fetched(transaction: rest, faults: odd.faults)
            }
            switch answer {
            case .found(let transactions):
                if let transaction = transactions.all.first { return Fetched(transaction: transaction) }
            case .unauthorized: isRefused = true
            case .notFound, .refused: continue
            }
        }
        if isRefused { throw Self.refusedKey }
        throw CommandFailure(.failure, "no verified payment of this id is known, and Apple doesn't know it either")
    }

    private func ask(
        _ verifier: AppStoreVerifier, _ id: TransactionID, _ bundle: BundleID, in environment: AppStoreEnvironment
    ) async throws -> TransactionInfo {
        try await inTurn(Budget(bundle, .getTransactionInfo, environment)) {
            (latestStart, deadline) async throws(VerificationFailure) in
            try await verifier.lookUp(id, bundleID: bundle, in: environment, startingBy: latestStart, deadline: deadline)
        }
    }

    /// Takes a turn, and another if no connection stood by then.
    private func inTurn<Answer>(
        _ budget: Budget,
        _ call: (_ latestStart: ContinuousClock.Instant, _ deadline: ContinuousClock.Instant) async throws(VerificationFailure) ->
            Answer
    ) async throws -> Answer {
        let deadline = ContinuousClock.now + Self.patience
        while true {
            let latestStart = try await waitForTurn(budget)
            do {
                return try await call(latestStart, deadline)
            } catch {
                guard error.isLate else { throw error }
            }
        }
    }

    /// - Returns: the end of the turn.
    private func waitForTurn(_ budget: Budget) async throws -> ContinuousClock.Instant {
        guard let reservation = try await BudgetStore(pool: pool).take(1, of: budget, within: Self.patience) else {
            throw CommandFailure(.temporaryFailure, "the app's calls to Apple are spent for now: try again in a minute")
        }
        let startTime = ContinuousClock.now + reservation.firstCallIn
        try await Task.sleep(until: startTime, clock: .continuous)
        return startTime + RateLimiter.tolerance
    }
}
