// SPDX-License-Identifier: Apache-2.0

import Foundation
import Postgres
import Testing
import Verification
import VerificationQueue

extension Settlement {
    /// The settlement of an attempt whose proof is this signed transaction.
    init(_ transaction: Transaction, shownBy job: Job) {
        let judgement = OrderMatching.judge(
            VerifiedTransactions([transaction], mayBeIncomplete: false), for: job.order, policy: job.policy, hint: nil)
        let action: Settlement.Action =
            switch judgement.verdict {
            case .candidates: .grantOne
            case .rejected(let reason): .end(.rejected(reason, nil))
            case .review(let reason): .end(.review(reason, nil))
            case .missing: .end(.rejected(.purchaseNotInReceipt, nil))
            }
        self.init(job, action, payments: .init(offeredBy: judgement))
    }
}

extension QueueFixture {
    /// Lists "plus", an auto-renewable subscription.
    func listPlus() async throws {
        try await admin.execute(
            "insert into counterfoil.products (bundle_id, product_id, kind) values ('\(Self.bundle)', 'plus', 'auto_renewable')")
    }

    func place(
        _ order: String, account: String = "ann", product: String = "coins", quantity: Int = 1, token: UUID? = nil,
        minutesAgo: Double = 0
    ) async throws {
        try await admin.execute(
            """
            insert into counterfoil.orders (order_id, bundle_id, product_id, account_id, app_account_token, created_at, quantity)
            values ($1, '\(Self.bundle)', $2, $3, $4, now() - make_interval(secs => $5), $6)
            """,
            [
                .text(order), .text(product), .text(account), .uuid(token), .double(minutesAgo * 60), .int4(Int32(quantity)),
            ])
    }

    func change(_ order: String, _ assignment: String) async throws {
        try await admin.execute("update counterfoil.orders set \(assignment) where order_id = $1", [.text(order)])
    }

    /// Uploads a proof for an order, which is made now unless it exists.
    @discardableResult
    func upload(_ order: String, account: String = "ann", product: String = "coins") async throws -> JobID {
        try await submit(order, "eyJ", account: account, product: product)
    }

    /// Claims the job of an order, and settles it as if its proof was this signed transaction.
    @discardableResult
    func settle(_ transaction: Transaction, for order: String) async throws -> [SettlementResult.Result] {
        let job = try #require(try await claim().first { $0.order.id.rawValue == order })
        return try await settle(Settlement(transaction, shownBy: job))
    }

    func action(_ order: String) async throws -> String {
        try await admin.execute("select client_action from counterfoil.order_status where order_id = $1", [.text(order)])[0].string(0)
    }

    /// "status client_action" of a transaction.
    func transaction(_ id: String) async throws -> String? {
        try await admin.execute(
            "select concat_ws(' ', status, client_action) from counterfoil.transaction_status where transaction_id = $1", [.text(id)]
        ).first?.string(0)
    }
}
