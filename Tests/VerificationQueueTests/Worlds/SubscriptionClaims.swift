// SPDX-License-Identifier: Apache-2.0

extension SubscriptionWorld {
    /// Which orders each period could pay for, in some order of arrival. Rather too many than too few.
    struct Claims {
        /// By period.
        private(set) var orders: [Set<String>]
        private let world: SubscriptionWorld

        init(_ world: SubscriptionWorld) {
            self.world = world
            orders = world.periods.map { _ in [] }
            for index in world.periods.indices {
                let period = world.periods[index]
                for word in world.words { claim(index, by: word) }
                for order in world.orders where order.plan == period.plan && Self.isInTime(order, period) {
                    guard let token = period.token, world.account(of: token) == order.account else { continue }
                    // A purchase is brought to the order that its token names, or to one of its account. A renewal is, where a
                    // client shows it for another order before anybody knew of its subscription.
                    if !period.isRenewal || isShown(index, forAnotherThan: order.id) { orders[index].insert(order.id) }
                }
            }
            for act in world.acts where act.kind == .assign { orders[act.period].insert(act.order) }
        }

        private static func isInTime(_ order: Order, _ period: Period) -> Bool {
            order.isRecovery || order.createdAt <= period.begins
        }

        private mutating func claim(_ index: Int, by word: Word) {
            guard case .shown(let account, let id, let isReceipt) = word.kind else { return }
            let (period, shown) = (world.periods[index], world.periods[word.period])
            let order = world.orders.first { $0.id == id }!
            if word.period == index || isReceipt && period.signedAt <= word.hour {
                if order.plan == period.plan { orders[index].insert(id) }
                // Its own order, made within the hour before it.
                for own in world.orders where own.account == account && own.plan == period.plan && own.token == nil {
                    if (period.begins - 1...period.begins).contains(own.createdAt) { orders[index].insert(own.id) }
                }
            }
            // The order waits for the plan.
            if period.isRenewal, period.begins > shown.begins, period.plan == order.plan, shown.plan != order.plan {
                orders[index].insert(id)
            }
        }

        func periods(of order: String) -> Set<Int> { Set(orders.indices.filter { orders[$0].contains(order) }) }

        /// Whether orders of two accounts, or the buyer of a period and somebody else, could be paid.
        var isBetweenAccounts: Bool {
            var accounts: Set<String> = []
            for (index, claimants) in orders.enumerated() where !claimants.isEmpty {
                accounts.insert(world.periods[index].buyer)
                accounts.formUnion(claimants.map { id in world.orders.first { $0.id == id }!.account })
            }
            return accounts.count > 1
        }

        /// The periods that could pay for two orders, or for an order that another period could pay.
        var ambiguous: Set<Int> {
            Set(orders.indices.filter { index in
                orders[index].count > 1 || orders[index].contains { periods(of: $0).count > 1 }
            })
        }

        /// Whether a client shows a period for another order than its own, which is found by no token, and only while it is open.
        /// It was rejected before, or is later.
        var hasRejectedOrder: Bool {
            orders.indices.contains { index in
                world.periods[index].token == nil && orders[index].contains { order in
                    let isRejected = world.words.contains { word in
                        if case .missed(_, let id) = word.kind { id == order } else { false }
                    }
                    return isRejected && isShown(index, forAnotherThan: order)
                }
            }
        }

        private func isShown(_ index: Int, forAnotherThan order: String) -> Bool {
            world.ordersShown(world.periods[index].id).contains { $0.id != order }
        }
    }

    /// The account that a token speaks for: that of all orders which bear it.
    func account(of token: String) -> String? {
        let accounts = Set(orders.filter { $0.token == token }.map(\.account))
        return accounts.count == 1 ? accounts.first : nil
    }

    /// The orders for which clients show a period itself.
    func ordersShown(_ period: String) -> [Order] {
        words.compactMap { word in
            guard periods[word.period].id == period, case .shown(_, let id, _) = word.kind else { return nil }
            return orders.first { $0.id == id }
        }
    }

    /// Whether a period that pays for no order is called a renewal if an earlier one is known when it is shown, and else unclaimed:
    /// only receipts show it, which don't say why it was paid, or a client shows it for an order of another plan.
    func isNamedByArrival(_ id: String) -> Bool {
        let period = periods.first { $0.id == id }
        return ordersShown(id).contains { $0.plan != period?.plan }
            || !words.contains { periods[$0.period].id == id && $0.bearsReason }
    }

    /// What depends on the order of arrival by nature, and nothing else does.
    enum Exception: String, CaseIterable {
        /// First come, first served between accounts, where no token says whose a period is.
        case accounts = "E1"
        /// A payment that fits two orders of its account, or an order that fits two payments.
        case ownOrders = "E2"
        /// A purchase that nobody told, where a receipt or Apple's later word leaves a hole.
        case untold = "E3"
        /// A part that was refunded before the grant, or after it.
        case partBefore = "E4"
        /// The whole that was refunded before the grant, or after it.
        case wholeBefore = "E5"
        /// A subscription that was bought again within sixty days, and that receipts alone show.
        case receiptsAlone = "E8"
        /// A payment that a client shows for another order than its own, before that is rejected for want of it, or after.
        case rejectedOrder = "E9"
    }

    var exceptions: Set<Exception> {
        var found: Set<Exception> = []
        let claims = Claims(self)
        if claims.isBetweenAccounts && !everyTokenSpeaks { found.insert(.accounts) }
        if !claims.ambiguous.isEmpty { found.insert(.ownOrders) }
        if claims.hasRejectedOrder { found.insert(.rejectedOrder) }
        if isSilent || hasHole { found.insert(.untold) }
        let shares = periods.flatMap(\.refunds).filter { $0.hour <= now }.map(\.value)
        if shares.contains(where: { (1..<100_000).contains($0) }) { found.insert(.partBefore) }
        if shares.contains(100_000) { found.insert(.wholeBefore) }
        if words.allSatisfy({ word in
            switch word.kind {
            case .shown(_, _, isReceipt: true), .missed, .shared, .unshared: true
            case .shown, .told: false
            }
        }) { found.insert(.receiptsAlone) }
        return found
    }

    /// Whether whatever is said of a period bears a token that says whose it is.
    var everyTokenSpeaks: Bool {
        form == .signed && (tokens == .everyOrders || tokens == .accounts)
            && periods.allSatisfy { period in period.token.flatMap(account(of:)) == period.buyer }
    }
}
