// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Verification
@testable import VerificationQueue

/// Values for tests that need no database.
enum Sample {
    static let bundleID = BundleID(rawValue: "com.example.game")
    static let local = LaneID(rawValue: 1)
    static let production = LaneID(rawValue: 2)
    static let sandbox = LaneID(rawValue: 3)

    static let apiProduction = LaneID(rawValue: 4)
    static let apiSandbox = LaneID(rawValue: 5)
    static let finishing = LaneID(rawValue: 6)

    static func gates(closed: LaneID? = nil) -> GateCache {
        let cache = GateCache()
        let endpoints: [(LaneID, Endpoint)] = [
            (local, .local), (production, .verifyReceipt(.production)), (sandbox, .verifyReceipt(.sandbox)),
            (apiProduction, .serverAPI(.production)), (apiSandbox, .serverAPI(.sandbox)),
            (finishing, Endpoint(route: .finishTransaction, environment: .production)),
        ]
        cache.replace(
            with: endpoints.map { lane, endpoint in
                Gate(lane: lane, bundleID: bundleID, endpoint: endpoint, closedBy: lane == closed ? .breaker : nil)
            })
        return cache
    }

    /// A job that verifies, or, with a transaction that is to be finished, a follow-up.
    static func job(
        _ id: Int64 = 1, order: String? = nil, proof: String = "eyJ 1000", lane: LaneID = local, finished: String? = nil,
        attempt: Int = 1, uncertain: Int = 0, missingTimes: TimeInterval? = nil, lastCheck: TimeInterval = 0,
        age: TimeInterval = 1, state: OrderState = .open, allowsSandbox: Bool = false, hintIsGranted: Bool = false,
        hint: String? = nil, sinceLastAttempt: TimeInterval? = nil, token: UUID? = nil, account: String = "ann",
        policy: AppPolicy? = nil
    ) -> Job {
        let now = Date()
        let ordered = Ordered(
            Order(
                id: OrderID(rawValue: order ?? "order-\(id)"), bundleID: bundleID, productID: ProductID(rawValue: "coins"),
                accountID: AccountID(rawValue: account), appAccountToken: token, createdAt: now.addingTimeInterval(-age),
                state: state, lastAttemptAt: sinceLastAttempt.map { now.addingTimeInterval(-$0) }),
            policy ?? AppPolicy(allowsSandbox: allowsSandbox), number: OrderNumber(rawValue: id))
        let work: Work =
            if let finished {
                .finish(Granted(ordered, transaction: TransactionID(rawValue: finished)))
            } else {
                .verify(
                    Upload(
                        ordered, proof: proof, hint: hint.map(TransactionID.init(rawValue:)), hintIsGranted: hintIsGranted))
            }
        return Job(
            lease: Lease(jobID: JobID(rawValue: id), token: 1), lane: lane, attempt: attempt, uncertainAttempts: uncertain,
            missingSince: missingTimes.map { now.addingTimeInterval(-$0) },
            lastMissingAt: missingTimes.map { _ in now.addingTimeInterval(-lastCheck) }, createdAt: now.addingTimeInterval(-age),
            claimedAt: now, leaseEnds: .now + .seconds(60), work: work)
    }

    static func candidate(_ id: String) -> ShownPayment {
        ShownPayment(.sample(id: id))
    }
}

extension Settlement {
    /// The payments that its proof shows beside those that may pay.
    var others: [ShownPayment] { payments.filter { $0.place == .beside }.map(\.shown) }

    /// The payments whose refund it writes.
    var revoked: [Transaction] { payments.filter { $0.hasWords && $0.reversedAt == nil }.map(\.transaction) }
}

extension [SettledPayment] {
    /// All payments of a proof, as an attempt settles them.
    init(offeredBy judgement: Judgement) {
        let candidates = if case .candidates(let candidates) = judgement.verdict { candidates } else { [ShownPayment]() }
        self.init(candidates: candidates, others: judgement.others, revoked: judgement.revoked)
    }
}

extension Job {
    /// The order of a job that isn't a notification's.
    var order: Order { ordered.order }

    var policy: AppPolicy { ordered.policy }

    /// The transaction of a follow-up.
    var grantedTransactionID: TransactionID? {
        if case .finish(let granted) = work { granted.transaction } else { nil }
    }

    private var ordered: Ordered {
        guard let ordered = work.ordered else { preconditionFailure("the test asks for a notification's order") }
        return ordered
    }
}

extension Settlement {
    /// The heaviest that stands against each candidate, before the ledger is asked; nil where nothing does.
    var heaviestObjections: [Reason?] {
        candidates.map { Fit.objections(to: PaymentFacts($0.shown), for: job.order, under: job.policy).first?.reason }
    }

    /// The same of each of the others, whatever was ordered.
    var heaviestObjectionsToOthers: [Reason?] {
        others.map { Fit.objections(to: PaymentFacts($0), under: job.policy).first?.reason }
    }
}
