// SPDX-License-Identifier: Apache-2.0

import Verification

/// Says what must be true of the ledger, from the facts alone: the rows, what was bought, and which proofs were shown.
///
/// Written as plainly as the rules are told, for a few rows. It calls none of the database's functions and reads none of its views.
struct LedgerOracle {
    let world: LedgerWorld
    let rows: LedgerRows

    // MARK: Names

    /// Whether two transactions are one payment.
    func isOnePayment(_ one: LedgerRows.Payment, _ other: LedgerRows.Payment) -> Bool {
        if one.id == other.id { return true }
        // An import may not know the original.
        if one.kind == .autoRenewable, let item = one.item, item == other.item { return true }
        guard one.original == other.original else { return false }
        switch one.kind {
        case .consumable: return false
        case .nonConsumable, .nonRenewing: return !wasRefundedBetween(one, other)
        case .autoRenewable:
            return (one.item == nil || other.item == nil)
                && one.purchasedAt / 1_000_000 == other.purchasedAt / 1_000_000
        }
    }

    func names(of payment: LedgerRows.Payment) -> [LedgerRows.Payment] {
        rows.payments.filter { isOnePayment($0, payment) }
    }

    /// Whether the later one was bought while a refund of the whole stood that is younger than the earlier one.
    private func wasRefundedBetween(_ one: LedgerRows.Payment, _ other: LedgerRows.Payment) -> Bool {
        let (earlier, later) = (min(one.purchasedAt, other.purchasedAt), max(one.purchasedAt, other.purchasedAt))
        return rows.words.contains { refund in
            refund.original == one.original && refund.share == 100_000
                && refund.occurredAt >= earlier && refund.occurredAt < later
                && !rows.words.contains { reversal in
                    reversal.isReversal && reversal.transaction == refund.transaction
                        && reversal.occurredAt >= refund.occurredAt && reversal.occurredAt < later
                }
        }
    }

    // MARK: Refunds

    enum Refund: Equatable {
        case none
        /// In thousandths of a percent.
        case share(Int32)
        case unknown

        var isWhole: Bool { self == .share(100_000) }
    }

    /// What stands of a payment's refunds: each name's are reversed by its own id; of the others, the newest word of any name, a
    /// share that is known before one that isn't. Names of another original are no help: only an import without one leaves such.
    func refund(of payment: LedgerRows.Payment) -> Refund {
        let ids = Set(names(of: payment).filter { $0.original == payment.original }.map(\.id))
        let inForce = rows.words.filter { word in
            ids.contains(word.transaction) && !word.isReversal
                && !rows.words.contains { $0.isReversal && $0.transaction == word.transaction && $0.asOf >= word.asOf }
                && !isOutweighed(word)
        }
        let known = inForce.compactMap { word in word.share.map { (word.asOf, $0) } }
        if let newest = known.max(by: <) { return .share(newest.1) }
        return inForce.isEmpty ? .none : .unknown
    }

    /// Whether one of its refunds was reversed after `former`.
    func isReversed(_ payment: LedgerRows.Payment, since former: LedgerRows) -> Bool {
        let ids = Set(names(of: payment).map(\.id))
        return rows.words.contains { word in
            word.isReversal && ids.contains(word.transaction) && !former.words.contains { $0.id == word.id }
        }
    }

    /// Whether a part was signed for the date of a word that knows no share, or for a later one.
    private func isOutweighed(_ word: LedgerRows.Word) -> Bool {
        word.knowsNoShare
            && rows.words.contains {
                $0.transaction == word.transaction && $0.share.map { $0 < 100_000 } ?? false && $0.occurredAt >= word.occurredAt
            }
    }

    // MARK: States

    func state(of payment: LedgerRows.Payment) -> String {
        let refund = refund(of: payment)
        if payment.isGranted { return refund.isWhole ? "refunded" : "granted" }
        if grant(of: payment) != nil { return "restored" }
        if refund.isWhole { return "taken_back" }
        return payment.reason == "renewal" ? "renewal" : "unclaimed"
    }

    /// The name of a payment that was granted.
    func grant(of payment: LedgerRows.Payment) -> LedgerRows.Payment? {
        names(of: payment).first { $0.isGranted }
    }

    // MARK: Owners

    /// The account that a token speaks for.
    private func account(ofToken token: String) -> String? {
        let accounts = Set(rows.orders.filter { $0.token == token }.map(\.maker))
        return accounts.count == 1 ? accounts.first : nil
    }

    /// Why a payment isn't the order's account's; nil where it may be.
    ///
    /// - Parameters:
    ///   - token: of the payment, as any proof showed it.
    ///   - shownBy: the account that showed it first, and wasn't a stranger then.
    func stranger(_ payment: LedgerRows.Payment, token: String?, order: LedgerRows.Order, shownBy: String?) -> String? {
        let shownBy = shownBy.map(rows.followed)
        if payment.kind == .autoRenewable, let owner = transferred(payment, token: token) {
            return owner == order.account ? nil : "an order of the subscription was transferred to \(owner)"
        }
        if let token, let ordered = order.token {
            // That of another order of the account passes.
            return token == ordered || account(ofToken: token) == order.account ? nil : "another token"
        }
        if let token, let account = account(ofToken: token) {
            return account == order.account ? nil : "the token speaks for \(account)"
        }
        if payment.kind == .autoRenewable, let owner = owner(ofPeriod: payment) {
            return owner == order.account ? nil : "by the other periods it is \(owner)'s"
        }
        if let shownBy, shownBy != order.account { return "\(shownBy) showed it first" }
        return nil
    }

    /// The account of the latest order of a subscription that was transferred, up to a period; nil once it was bought anew since,
    /// with a token or for an order.
    private func transferred(_ payment: LedgerRows.Payment, token: String?) -> String? {
        let moved = Set(rows.orders.filter(\.isTransferred).map(\.id))
        let periods = rows.payments.filter { $0.original == payment.original && $0.purchasedAt <= payment.purchasedAt }
        guard let last = periods.filter({ $0.order.map(moved.contains) ?? false }).max(by: { $0.purchasedAt < $1.purchasedAt }) else {
            return nil
        }
        let isAnew = periods.contains { period in
            period.purchasedAt > last.purchasedAt && period.purchaseReason == "purchase"
                && (period.token != nil || period.isGranted || period.id == payment.id && token != nil)
        }
        return isAnew ? nil : last.account.flatMap { LedgerRows.isForgotten($0) ? nil : $0 }
    }

    /// The account to which a period belongs by the others: by a token in its run, by the nearest earlier period, or by a grant
    /// of a later one in its run. Worlds have no gaps between periods: a run ends where one was bought.
    private func owner(ofPeriod payment: LedgerRows.Payment) -> String? {
        let others = rows.payments.filter { $0.id != payment.id && $0.original == payment.original }
        let seconds = Set((others + [payment]).map { $0.purchasedAt / 1_000_000 }).sorted()
        let periods = seconds.map { second in (others + [payment]).filter { $0.purchasedAt / 1_000_000 == second } }
        guard let place = seconds.firstIndex(of: payment.purchasedAt / 1_000_000) else { return nil }
        if let owner = transferred(payment, token: nil) { return owner }
        func renews(_ index: Int) -> Bool { periods[index].contains { $0.purchaseReason == "renewal" } }
        func token(_ index: Int) -> String? {
            periods[index].filter { $0.id != payment.id }.compactMap { $0.token.flatMap(account(ofToken:)) }.first
        }
        let start = (0...place).last { !renews($0) } ?? 0
        let end = (place + 1..<periods.count).first { !renews($0) } ?? periods.count
        if let owner = (start...place).reversed().compactMap(token).first { return owner }
        if let owner = (place + 1..<end).compactMap(token).first { return owner }
        for index in (0..<place).reversed() {
            // What comes after a forgotten account's is the first's who shows it.
            if let owner = periods[index].compactMap(named).first { return LedgerRows.isForgotten(owner) ? nil : owner }
        }
        return (place + 1..<end).compactMap { periods[$0].first(where: \.isGranted)?.account }
            .first { !LedgerRows.isForgotten($0) }
    }

    /// The account that a period names by itself: by its grant, by an order that it answered, or by its token.
    private func named(_ period: LedgerRows.Payment) -> String? {
        if period.isGranted { return period.account }
        let answered = rows.orders.first { order in
            order.transaction == period.id
                && (order.state == "refunded" || order.state == "review" && order.reason == "partly_refunded")
        }
        return answered?.account ?? period.token.flatMap(account(ofToken:))
    }

    // MARK: What must be true

    /// What is wrong with the rows, whatever happened before.
    func faults() -> [String] {
        payments() + orders() + refusals()
    }

    private func payments() -> [String] {
        let granted = rows.payments.filter(\.isGranted)
        var faults: [String] = []
        for (index, one) in granted.enumerated() {
            for other in granted[(index + 1)...] {
                if one.order == other.order { faults.append("two payments for order \(one.order!)") }
                if isOnePayment(one, other) { faults.append("\(one.id) and \(other.id) are one payment, and paid for two orders") }
                if let payment = world.payment(one.id), payment == world.payment(other.id) {
                    faults.append("\(one.id) and \(other.id) are one payment in truth, and paid for two orders")
                }
            }
        }
        for renewal in rows.payments where state(of: renewal) == "renewal" {
            let isForgotten = renewal.account.map(LedgerRows.isForgotten) ?? false
            if renewal.kind != .autoRenewable || !renewsSomebodys(renewal) && !isForgotten { faults.append("\(renewal.id) renews nothing that anybody has") }
            if renewal.purchaseReason == "purchase" { faults.append("\(renewal.id) was bought, and is called a renewal") }
        }
        // It would be in no list.
        for lost in rows.payments where state(of: lost) == "unclaimed" && ["restored", "refunded"].contains(lost.reason) {
            faults.append("\(lost.id) is unclaimed, and bears the reason \(lost.reason!)")
        }
        return faults
    }

    /// Whether a period comes after another one, and is somebody's.
    private func renewsSomebodys(_ payment: LedgerRows.Payment) -> Bool {
        rows.payments.contains { $0.original == payment.original && $0.purchasedAt < payment.purchasedAt }
            && (owner(ofPeriod: payment) ?? payment.token.flatMap(account(ofToken:))) != nil
    }

    private func orders() -> [String] {
        rows.orders.compactMap { order in
            guard let payment = rows.payments.first(where: { $0.order == order.id }) else {
                return order.state == "fulfilled" ? "order \(order.id) is fulfilled by nothing" : nil
            }
            let wanted = refund(of: payment).isWhole ? "refunded" : "fulfilled"
            return order.state == wanted
                ? nil : "order \(order.id) is \(order.state), and its payment \(payment.id) \(state(of: payment))"
        }
    }

    /// Orders that were answered for a payment which nobody was granted.
    private func refusals() -> [String] {
        rows.orders.compactMap { order in
            guard !rows.payments.contains(where: { $0.order == order.id }), let id = order.transaction,
                let payment = rows.payment(id), ["unclaimed", "renewal"].contains(state(of: payment))
            else { return nil }
            let isDenied = order.state == "refunded" || ["already_owned", "already_granted"].contains(order.reason)
            return isDenied ? "order \(order.id) is \(order.state) \(order.reason ?? ""), and \(id) is unclaimed" : nil
        }
    }

    /// Where the database's own judgement differs.
    func contradictions(_ judged: [LedgerRows.Judged]) -> [String] {
        let byID = Dictionary(uniqueKeysWithValues: judged.map { ($0.id, $0) })
        return rows.payments.flatMap { payment -> [String] in
            guard let told = byID[payment.id] else { return ["\(payment.id) has no state"] }
            // Of a period that counts as shown by no client, what is known now decides whether it renews.
            let isDerived =
                told.state == "renewal" && payment.reason == "no_order" && payment.kind == .autoRenewable
                && payment.purchaseReason != "purchase" && renewsSomebodys(payment)
            let kept = state(of: payment)
            let state = kept == "unclaimed" && isDerived ? "renewal" : kept
            let refund = refund(of: payment)
            let grant = grant(of: payment)
            var faults: [String] = []
            if told.state != state { faults.append("\(payment.id) is \(state), and payment_states says \(told.state)") }
            let share: Int32? = if case .share(let share) = refund { share } else { nil }
            if told.share != share {
                faults.append("\(payment.id) has the share \(share ?? -1), and payment_states says \(told.share ?? -1)")
            }
            let status = refund.isWhole ? "revoked" : grant != nil ? "granted" : "unclaimed"
            if told.status != status { faults.append("\(payment.id) is \(status), and transaction_status says \(told.status)") }
            if told.order != grant?.order {
                faults.append("\(payment.id) paid for \(grant?.order ?? "-"), and transaction_status says \(told.order ?? "-")")
            }
            // Whether it may be ordered again, the player tries: ``LedgerWorldPlayer``.
            // What only a refund showed, its client has still to show.
            let actions = state == "unclaimed" ? ["contact_support", "order_again", "upload_proof"] : ["finish"]
            if !actions.contains(told.action) {
                faults.append("\(payment.id): \(actions), and transaction_status says \(told.action)")
            }
            if told.isUnclaimed != (state == "unclaimed" || state == "renewal") {
                faults.append("\(payment.id) is \(state), and unclaimed_transactions \(told.isUnclaimed ? "lists" : "lacks") it")
            }
            return faults
        }
    }
}
