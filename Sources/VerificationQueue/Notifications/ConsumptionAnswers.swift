// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
package import Logging
package import Postgres
import Schema
package import Verification

/// Sends the shop's answers to Apple's questions about refunds, one after the other.
///
/// They are no jobs: an answer has no order, its deadline ends it, and no customer waits for it.
///
/// An answer is claimed for one call, whose deadline ends before the lease: two workers never send one at the same time. If a
/// worker dies, another sends the answer again once the lease is over, which Apple takes as the same. It stays within the app's
/// budget for this call, and calls nobody while the gate of the app's API is closed.
///
/// Source: appstoreserverapi/send-consumption-information.
package struct ConsumptionAnswers: Sendable {
    /// The columns of `take_consumption_answer.sql`.
    enum Column: Int, RowColumn {
        case id, leaseToken, bundleID, environment, transactionID, attempts, uncertainAttempts, deliveryStatus, consumedShare,
            refundPreference, sampleContentProvided, secondsLeft
    }

    private struct Claimed {
        let id: Int64
        let leaseToken: Int32
        let bundleID: BundleID
        let environment: AppStoreEnvironment
        let transactionID: TransactionID
        let attempts: Int
        let uncertainAttempts: Int
        let answer: ConsumptionAnswer
        let remaining: Duration
    }

    /// The right to settle a call. One minute: so long the answers of a dead worker wait.
    private static let leaseDuration = Duration.seconds(60)

    /// Longest time from before the claim to the end of the call. 30 seconds; it must stay below ``leaseDuration``.
    private static let patience = Duration.seconds(30)

    private let pool: PostgresPool
    private let verifier: any TransactionVerifier
    private let limiter: RateLimiter
    private let retry: RetryPolicy
    private let logger: Logger
    private let callMetrics: CallMetrics

    package init(
        pool: PostgresPool, verifier: any TransactionVerifier, retry: RetryPolicy, logger: Logger,
        callMetrics: CallMetrics = .unread
    ) {
        self.pool = pool
        self.verifier = verifier
        self.retry = retry
        self.logger = logger
        self.callMetrics = callMetrics
        limiter = RateLimiter(store: BudgetStore(pool: pool))
    }

    /// Sends all that are due.
    package func send() async throws {
        while !Task.isCancelled {
            let deadline = ContinuousClock.now + Self.patience
            guard let claimed = try await take() else { return }
            let call = await call(claimed, until: deadline)
            // Nobody knows what became of the call: it is repeated once the lease is over.
            guard !Task.isCancelled else { return }
            try await settle(claimed, as: call)
        }
    }

    private func take() async throws -> Claimed? {
        let rows = try await pool.execute(SQLFile.takeConsumptionAnswer.statement, [.double(Self.leaseDuration.seconds)])
        guard let row = rows.first?.named(by: Column.self) else { return nil }
        return Claimed(
            id: try row.int64(.id), leaseToken: try row.int32(.leaseToken), bundleID: BundleID(rawValue: try row.string(.bundleID)),
            environment: try row.value(.environment, AppStoreEnvironment.init(rawValue:)),
            transactionID: TransactionID(rawValue: try row.string(.transactionID)), attempts: Int(try row.int32(.attempts)),
            uncertainAttempts: Int(try row.int32(.uncertainAttempts)),
            answer: ConsumptionAnswer(
                deliveryStatus: try row.value(.deliveryStatus, ConsumptionAnswer.DeliveryStatus.init(rawValue:)),
                consumedShare: try row.optionalInt64(.consumedShare).map { Int($0) },
                refundPreference: try row.optionalString(.refundPreference).flatMap(
                    ConsumptionAnswer.RefundPreference.init(rawValue:)),
                sampleContentProvided: try row.bool(.sampleContentProvided)),
            remaining: .seconds(try row.double(.secondsLeft)))
    }

    private func call(_ claimed: Claimed, until deadline: ContinuousClock.Instant) async -> ConsumptionCall {
        do {
            return try await sendOnce(claimed, until: deadline)
        } catch {
            switch error.kind {
            // An operator may have mended it since.
            case .configuration, .credentialRefused: verifier.reloadCredentials()
            default: break
            }
            var generator = SystemRandomNumberGenerator()
            return ConsumptionCall(
                failed: error, attempt: claimed.attempts, uncertainAttempts: claimed.uncertainAttempts,
                remaining: claimed.remaining, retry: retry, using: &generator)
        }
    }

    private func sendOnce(
        _ claimed: Claimed, until deadline: ContinuousClock.Instant
    ) async throws(VerificationFailure) -> ConsumptionCall {
        let budget = Budget(claimed.bundleID, .sendConsumptionInformation, claimed.environment)
        while true {
            let latestStart: ContinuousClock.Instant
            switch await limiter.waitForTurn(of: budget, deadline: deadline) {
            case .granted(let latest): latestStart = latest
            case .refused(let delay):
                throw VerificationFailure(
                    .rateLimited, .rateLimited, message: "the budget of calls is spent", retryAfter: delay)
            }
            do {
                let refusal = try await callMetrics.measure(.serverAPI(claimed.environment)) { () throws(VerificationFailure) in
                    try await verifier.send(
                        claimed.answer, about: claimed.transactionID, of: claimed.bundleID, in: claimed.environment,
                        startingBy: latestStart, deadline: deadline)
                }
                return refusal.map { .refused($0) } ?? .sent
            } catch {
                // No connection stood by the end of the turn: nothing was sent.
                guard error.isLate, deadline > .now else { throw error }
            }
        }
    }

    private func settle(_ claimed: Claimed, as call: ConsumptionCall) async throws {
        let settled = try await pool.execute(
            SQLFile.settleConsumptionAnswer.statement,
            [
                .int8(claimed.id), .int4(claimed.leaseToken), .text(call.state.rawValue), .double(call.delay.seconds),
                .text(call.error), .bool(call.isUncertain),
            ])
        var metadata: Logger.Metadata = [
            "bundle.id": "\(claimed.bundleID.rawValue)", "environment": "\(claimed.environment.rawValue)",
            "transaction.id": "\(claimed.transactionID.rawValue)", "attempt": "\(claimed.attempts)",
        ]
        if settled.isEmpty {
            logger.warning("an answer about a refund was claimed by another worker meanwhile", metadata: metadata)
        } else if let error = call.error {
            metadata["error"] = "\(error)"
            logger.warning(
                call.state == .refused ? "Apple refuses an answer about a refund" : "could not send an answer about a refund",
                metadata: metadata)
        } else {
            logger.info("sent an answer about a refund", metadata: metadata)
        }
    }
}
