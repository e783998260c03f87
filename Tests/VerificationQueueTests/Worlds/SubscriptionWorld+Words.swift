// SPDX-License-Identifier: Apache-2.0

extension SubscriptionWorld {
    /// Something that is said of a period, and for which hour.
    struct Word {
        enum Kind: Equatable {
            /// A notification of this type.
            case told(String)
            /// A signed transaction, or a receipt with all periods so far.
            case shown(by: String, for: String, isReceipt: Bool)
            /// A receipt from before the purchase, which nobody renews: the order is rejected.
            case missed(by: String, for: String)
            /// A family member shows what was shared.
            case shared(by: String, for: String)
            /// The family member has it no more.
            case unshared
        }

        let hour: Hour
        let period: Int
        let kind: Kind

        var isApples: Bool { if case .told = kind { true } else { false } }

        /// Whether Apple says by it nothing that the transaction doesn't say too.
        var isOfTransactionAlone: Bool {
            guard case .told(let type) = kind else { return false }
            return ["SUBSCRIBED", "DID_CHANGE_RENEWAL_PREF", "DID_RENEW", "RENEWAL_EXTENDED"].contains(type)
        }

        /// Whether it says who made the purchase.
        var bearsReason: Bool {
            switch kind {
            case .told, .shown(_, _, isReceipt: false): true
            case .shown, .missed, .shared, .unshared: false
            }
        }

        var isReceipt: Bool {
            switch kind {
            case .shown(_, _, let isReceipt): isReceipt
            case .missed: true
            case .told, .shared, .unshared: false
            }
        }

        var order: String? {
            switch kind {
            case .shown(_, let order, _), .missed(_, let order), .shared(_, let order): order
            case .told, .unshared: nil
            }
        }
    }

    /// What an operator does, as soon as the ledger lets it be done.
    struct Act {
        enum Kind {
            /// Gives the period to the order: Apple was asked for it.
            case assign
            /// The customer was paid back, and Apple didn't say so.
            case refund
            /// Makes all that the first account has another's.
            case move
        }

        let hour: Hour
        let period: Int
        let order: String
        let kind: Kind
    }

    /// Who will say something of this life, and when.
    mutating func speak() {
        if isSilent { words = [] }
        let end = (words.map(\.hour).max() ?? periods[periods.count - 1].begins) + 1
        for index in periods.indices {
            showOwn(index, end)
            if dice.once(in: 8) { steal(index) }
        }
        share()
        showTheNewestAlone()
        waitForPlans()
        if words.isEmpty {
            let last = periods.count - 1
            words.append(Word(hour: periods[last].signedAt, period: last, kind: .told("DID_RENEW")))
        }
        operate()
        move()
    }

    private mutating func show(_ index: Int, by account: String, for order: String, at hour: Hour) {
        let isReceipt = form == .receipts || form == .mixed && dice.once(in: 2)
        words.append(Word(hour: hour, period: index, kind: .shown(by: account, for: order, isReceipt: isReceipt)))
    }

    /// The customer's client does it after the purchase, and perhaps again much later; of a renewal for an order of its own.
    private mutating func showOwn(_ index: Int, _ end: Hour) {
        let period = periods[index]
        if let order = period.order, !dice.once(in: 5) {
            show(index, by: period.buyer, for: order, at: period.signedAt + dice.among(0...3))
            if dice.once(in: 3) {
                show(index, by: period.buyer, for: order, at: max(period.signedAt, end - dice.pick([0, 0, 10, 50])))
            }
        }
        if let order = period.order, dice.once(in: 6) {
            let hour = period.signedAt + dice.among(0...9)
            words.append(Word(hour: hour, period: index, kind: .missed(by: period.buyer, for: order)))
        }
        if period.isRenewal && dice.once(in: 4) {
            let order = makeOrder(of: period.buyer, period.plan, at: period.begins - 1, isRecovery: true, bearsToken: false)
            show(index, by: period.buyer, for: order, at: max(period.signedAt, period.begins) + dice.among(9...30))
        }
    }

    private mutating func steal(_ index: Int) {
        let period = periods[index]
        let order = makeOrder(of: Self.stranger, period.plan, at: period.begins + dice.among(-5...5))
        let hour = max(period.signedAt, period.begins + 5) + dice.among(0...216)
        show(index, by: Self.stranger, for: order, at: hour)
    }

    /// The first period is a family's. Its member's text is older than the end of sharing, and may come after it.
    private mutating func share() {
        guard !isSandbox, dice.once(in: 5) else { return }
        let order = makeOrder(of: Self.member, periods[0].plan, at: periods[0].begins, bearsToken: false)
        words.append(Word(hour: periods[0].begins + 5, period: 0, kind: .shared(by: Self.member, for: order)))
        if dice.once(in: 2) { words.append(Word(hour: periods[0].begins + 9, period: 0, kind: .unshared)) }
    }

    /// A client that was away shows its newest period for its oldest order.
    private mutating func showTheNewestAlone() {
        let last = periods.count - 1
        guard last > 0, let order = periods[0].order, periods[last].buyer == periods[0].buyer, dice.once(in: 8) else { return }
        show(last, by: periods[last].buyer, for: order, at: periods[last].signedAt + 20)
    }

    /// An order of the plan that the next renewal is of, made with the proof of the plan before it.
    private mutating func waitForPlans() {
        for index in periods.indices.dropFirst() where periods[index].isRenewal && periods[index].plan != periods[index - 1].plan {
            guard dice.once(in: 2) else { continue }
            let before = periods[index - 1]
            let hour = max(before.begins, before.signedAt) + 24
            guard hour < periods[index].begins else { continue }
            let order = makeOrder(of: before.buyer, periods[index].plan, at: hour, bearsToken: false)
            words.append(
                Word(
                    hour: hour + 1, period: index - 1, kind: .shown(by: before.buyer, for: order, isReceipt: false)))
        }
    }

    // MARK: The operator

    /// Only where nobody else has a say: what the operator does for an order is then the same at any time.
    private mutating func operate() {
        guard !isSandbox, dice.once(in: 4) else { return }
        let claims = Claims(self)
        let candidates = periods.indices.filter { index in
            guard let order = periods[index].order else { return false }
            return periods[index].refunds.isEmpty && claims.orders[index].isSubset(of: [order])
                && claims.periods(of: order).isSubset(of: [index])
        }
        guard !candidates.isEmpty else { return }
        let index = dice.pick(candidates)
        let period = periods[index]
        let isPaid = claims.orders[index] == [period.order!]
        let hour = max(words.map(\.hour).max() ?? 0, period.begins, period.signedAt) + 2
        if !isPaid {
            acts.append(Act(hour: hour, period: index, order: period.order!, kind: .assign))
        } else if index == periods.count - 1 {
            acts.append(Act(hour: hour, period: index, order: period.order!, kind: .refund))
        }
    }

    /// One person had two accounts. By the other one nobody ordered yet: it would matter who came first.
    private mutating func move() {
        // The life, and what else is said of it, are as without.
        var dice = WorldDice(seed: ~seed)
        guard !isSandbox, dice.once(in: 4) else { return }
        let hour = dice.pick(words.map(\.hour))
        guard let order = orders.first(where: { $0.account == Self.first && $0.createdAt <= hour }) else { return }
        acts.append(Act(hour: hour, period: 0, order: order.id, kind: .move))
    }

    /// Whose that is now which was an account's, once these acts are done.
    func present(_ account: String, after acts: [Act]) -> String {
        account == Self.first && acts.contains { $0.kind == .move } ? Self.moved : account
    }
}
