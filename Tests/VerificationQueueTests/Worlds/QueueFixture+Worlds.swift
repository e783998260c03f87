// SPDX-License-Identifier: Apache-2.0

import Verification

@testable import VerificationQueue

extension QueueFixture {
    /// The lanes of an app.
    func lanes(of bundle: String) async throws -> [LaneID] {
        try await GateStore(pool: pool).list().filter { $0.bundleID.rawValue == bundle }.map(\.lane)
    }

    /// Claims what is due in some lanes, as a worker does.
    func claim(from lanes: [LaneID]) async throws -> [Job] {
        var planner = ClaimPlanner()
        let plan = planner.plan(lanes: lanes, running: [:], slots: 100, limit: 10)
        return try await JobStore(pool: pool)
            .claim(plan, worker: worker, proofBytes: 1 << 26, lease: .seconds(600)).map(\.job)
    }
}

extension Settlement {
    /// As an attempt at an order's job ends, by what its proof shows.
    init(_ job: Job, showing evidence: VerifiedTransactions) {
        let judgement = OrderMatching.judge(evidence, for: job.order, policy: job.policy, hint: job.work.upload?.hint)
        let action: Settlement.Action =
            switch judgement.verdict {
            case .candidates: .grantOne
            case .rejected(let reason): .end(.rejected(reason, nil))
            case .review(let reason): .end(.review(reason, nil))
            case .missing where job.order.state == .fulfilled || job.order.state == .refunded: .end(.unchanged)
            case .missing: .wait(.retry(after: .seconds(36_000)), .purchaseNotInReceipt, lane: nil)
            }
        self.init(job, action, payments: .init(offeredBy: judgement), shared: judgement.shared)
    }
}
