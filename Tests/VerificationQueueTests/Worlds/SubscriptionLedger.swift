// SPDX-License-Identifier: Apache-2.0

import Postgres

/// What the ledger knows of a world between two words: enough to judge each grant when it is made.
struct SubscriptionLedger {
    struct Row {
        let order: String?
        let isAutomatic: Bool
        /// Whether a proof bore Apple's word for who made the purchase.
        let hasReason: Bool
        let hasToken: Bool
    }

    private(set) var rows: [String: Row] = [:]

    static func read(_ signer: SubscriptionSigner, _ connection: PostgresConnection) async throws -> SubscriptionLedger {
        var ledger = SubscriptionLedger()
        let range: [PostgresParameter] = [.text(signer.prefix), .text(signer.prefix.dropLast() + "."), .text(signer.bundle)]
        for row in try await connection.execute(payments, range) {
            let name = String(try row.string(0).dropFirst(signer.prefix.count))
            ledger.rows[name] = Row(
                order: try row.optionalString(1).map { String($0.dropFirst(signer.prefix.count)) }, isAutomatic: try row.bool(2),
                hasReason: try row.bool(3), hasToken: try row.bool(4))
        }
        return ledger
    }

    private static let payments = PostgresStatement(
        name: "subscription_world_ledger",
        sql: """
            select p.transaction_id, p.order_id, p.job_id is not null, p.purchase_reason is not null, p.app_account_token is not null
            from counterfoil.ledger p
            where p.transaction_id >= $1::text and p.transaction_id < $2::text and p.bundle_id = $3::text
            """, isPrepared: true)

    // MARK: What must be true

    /// Nothing moves after a grant, no order is paid twice, and nobody takes what the ledger knows to be somebody else's.
    func faults(since before: SubscriptionLedger, _ world: SubscriptionWorld) -> [String] {
        var faults: [String] = []
        for (id, row) in before.rows where row.order != nil && rows[id]?.order != row.order {
            faults.append("the grant of \(id) moved")
        }
        let paid = rows.values.compactMap(\.order)
        if Set(paid).count < paid.count { faults.append("an order was paid twice: \(paid.sorted())") }
        for (id, row) in rows where before.rows[id]?.order == nil {
            guard let order = row.order, row.isAutomatic else { continue }
            if let fault = before.theft(of: id, for: order, world) { faults.append(fault) }
        }
        return faults
    }

    /// A run is one account's: its tokens and grants speak for all of it, and what stands before it for what nobody else claims.
    private func theft(of id: String, for order: String, _ world: SubscriptionWorld) -> String? {
        let place = world.periods.firstIndex { $0.id == id }!
        let period = world.periods[place]
        let account = world.orders.first { $0.id == order }!.account
        guard account != period.buyer, period.token.flatMap(world.account(of:)) != account else { return nil }
        // What follows from an earlier first come, first served is no theft.
        let isSomebodysAlready = world.periods.contains { other in
            rows[other.id]?.order.map { id in world.orders.first { $0.id == id }!.account != other.buyer } ?? false
        }
        guard !isSomebodysAlready else { return nil }
        let first = world.periods[...place].lastIndex { !$0.isRenewal }!
        let last = world.periods[(place + 1)...].firstIndex { !$0.isRenewal } ?? world.periods.endIndex
        let owned = Set((first..<last).filter { index in
            let other = world.periods[index]
            guard let row = rows[other.id] else { return false }
            if let order = row.order { return world.orders.first { $0.id == order }!.account == other.buyer }
            return row.hasToken && other.token.flatMap(world.account(of:)) == other.buyer
        })
        let isRunKnown = (first..<last).allSatisfy { index in
            index == place || rows[world.periods[index].id]?.hasReason == true
        }
        let isAfterOwned = place > first && owned.contains(place - 1)
        guard isAfterOwned || isRunKnown && !owned.isEmpty else { return nil }
        let known = owned.map { world.periods[$0].id }.sorted()
        return "\(id) was granted to \(account), and the ledger knew that \(period.buyer) has \(known)"
    }
}
