// SPDX-License-Identifier: Apache-2.0

extension SubscriptionWorld {
    /// How two playings may not differ, and do. What is an exception by nature isn't compared (``Exception``).
    func differences(_ one: SubscriptionEnd, _ other: SubscriptionEnd) -> [String] {
        let exceptions = exceptions
        func compare<Value: Equatable>(_ what: String, _ value: (SubscriptionEnd) -> Value) -> [String] {
            value(one) == value(other) ? [] : ["\(what): \(value(one)) and \(value(other))"]
        }
        var found = compare("the subscription") { $0.status }
        found += compare("the family member's access") { $0.access }
        found += compare("payments") { $0.payments.keys.sorted() }
        found += compare("shares") { end in end.payments.mapValues(\.share).filter { $0.value != nil } }
        guard exceptions.isDisjoint(with: [.accounts, .rejectedOrder]) else { return found }
        found += compare("the owner") { $0.owner }
        // What is kept as a stranger's is nobody's.
        let strangers = Set([one, other].flatMap { end in end.payments.filter { $0.value.reason == "owner_mismatch" }.map(\.key) })
        found += compare("accounts of payments") { end in
            end.payments
                .filter { !strangers.contains($0.key) }
                // A period that was refunded before it was shown is granted to nobody: it says of no other whose that is.
                .filter { !ordersShown($0.key).isEmpty || !exceptions.contains(.wholeBefore) }
                .compactMapValues(\.account)
        }
        // Of these either may be paid, or pay.
        let own = ambiguousPayments
        found += compare("answered") { answered($0).filter { !own.contains($0.key) } }
        func names(_ end: SubscriptionEnd) -> [String: String] {
            let answered = answered(end)
            return end.payments.filter { !own.contains($0.key) && !strangers.contains($0.key) }
                .reduce(into: [:]) { $0[$1.key] = answered[$1.key] == nil ? name($1.key, $1.value.state) : "answered" }
        }
        func name(_ id: String, _ state: String) -> String {
            isNamedByArrival(id) && ["renewal", "unclaimed"].contains(state) ? "renewal or unclaimed" : state
        }
        found += compare("names", names)
        return found
    }

    /// The ids of the payments that fit several orders, or whose order fits several payments.
    private var ambiguousPayments: Set<String> { Set(Claims(self).ambiguous.map { periods[$0].id }) }

    /// The order that each payment answered: it was granted, or refunded before, or waits for an operator because of a refund.
    private func answered(_ end: SubscriptionEnd) -> [String: String] {
        var answered = end.grants
        for (id, order) in end.orders.sorted(by: { $0.key < $1.key }) {
            guard let transaction = order.transaction, answered[transaction] == nil else { continue }
            let isOfARefund = order.reason == "partly_refunded" || order.reason == "refund_reversed"
            if order.state == "refunded" || order.state == "review" && isOfARefund { answered[transaction] = id }
        }
        return answered
    }

    // MARK: The truth

    /// What isn't true of a playing.
    func faults(_ played: SubscriptionWorldPlayer.Played) -> [String] {
        let end = played.end
        return played.faults + untruths(played) + wrongAccess(end) + misnomers(played) + nobodys(end) + stuckReviews(end)
            + untoldOrders(end)
    }

    private func untruths(_ played: SubscriptionWorldPlayer.Played) -> [String] {
        guard !exceptions.contains(.untold), !isSandbox else { return [] }
        let truth = SubscriptionTruth(self, doing: played.acts)
        var faults: [String] = []
        let state = truth.state()
        if let state, played.end.status != state {
            faults.append("the subscription is \(played.end.status.map { "\($0)" } ?? "unknown"), and in truth \(state)")
        }
        if everyTokenSpeaks, let current = truth.current() {
            let owner = present(current.period.buyer, after: played.acts)
            if played.end.owner != owner {
                faults.append("\(current.period.id) is \(owner)'s, and said to be \(played.end.owner ?? "nobody")'s")
            }
        }
        return faults
    }

    /// Who shows what was shared has it, unless Apple said that this is over.
    private func wrongAccess(_ end: SubscriptionEnd) -> [String] {
        guard words.contains(where: { if case .shared = $0.kind { true } else { false } }) else { return [] }
        let isOver = words.contains { $0.kind == .unshared }
        let status = end.access?.split(separator: " ").first
        if isOver ? status == "revoked" : status == "active" || status == "expired" { return [] }
        return ["the family member's access is \(end.access ?? "unknown")"]
    }

    private func misnomers(_ played: SubscriptionWorldPlayer.Played) -> [String] {
        let end = played.end
        var faults: [String] = []
        let known = periods.indices.filter { end.payments[periods[$0].id] != nil }
        let own = Claims(self).ambiguous
        for (place, index) in known.enumerated() where periods[index].isRenewal && !isSilent && !own.contains(index) {
            // Without Apple's word it is a guess, and a hole misleads it.
            guard !hasHole || isReasonTold(index) else { continue }
            let payment = end.payments[periods[index].id]!
            // Who only showed an earlier one is no owner.
            let owned = known[..<place].map { periods[$0].id }.filter { end.payments[$0]?.paidOrder != nil }
            if payment.state == "unclaimed" && payment.reason == "no_order" && !owned.isEmpty {
                faults.append("\(periods[index].id) renews, \(owned) are granted, and it isn't called so")
            }
        }
        // Apple's word ends a guess.
        for index in periods.indices.dropFirst() where !periods[index].isRenewal && !isSandbox {
            if isReasonTold(index) && end.payments[periods[index].id]?.state == "renewal" {
                faults.append("\(periods[index].id) is a purchase, and is called a renewal")
            }
        }
        if !exceptions.contains(.accounts), Set(periods.map(\.buyer)).count == 1 {
            let buyer = present(periods[0].buyer, after: played.acts)
            let others = end.payments.filter {
                $0.value.account != nil && $0.value.account != buyer && $0.value.reason != "owner_mismatch"
            }
            if !others.isEmpty { faults.append("\(others.keys.sorted()) are said to be somebody else's") }
        }
        return faults
    }

    /// Payments that the ledger gives to no account, though a token of their run names one.
    private func nobodys(_ end: SubscriptionEnd) -> [String] {
        guard exceptions.isDisjoint(with: [.accounts, .untold, .rejectedOrder]), !isSandbox else { return [] }
        return periods.indices.compactMap { index in
            guard let payment = end.payments[periods[index].id], payment.account == nil else { return nil }
            let owners = run(of: index).compactMap { other -> String? in
                isReasonTold(other) ? periods[other].token.flatMap(account(of:)) : nil
            }
            return owners.first.map { "\(periods[index].id) is \($0)'s by a token of its run, and said to be nobody's" }
        }
    }

    /// Whether anybody says why Apple made the period: a purchase or a renewal.
    private func isReasonTold(_ index: Int) -> Bool { words.contains { $0.period == index && $0.bearsReason } }

    /// A purchase with the renewals after it, up to the next purchase.
    private func run(of index: Int) -> Range<Int> {
        let first = periods[...index].lastIndex { !$0.isRenewal } ?? 0
        return first..<(periods[(index + 1)...].firstIndex { !$0.isRenewal } ?? periods.endIndex)
    }

    /// Orders that wait for a person because of a part that was refunded, and given back since.
    private func stuckReviews(_ end: SubscriptionEnd) -> [String] {
        guard exceptions.isDisjoint(with: [.accounts, .rejectedOrder]), !isSandbox else { return [] }
        let ambiguous = ambiguousPayments
        return end.orders.sorted { $0.key < $1.key }.compactMap { id, order in
            guard order.state == "review", order.reason == "partly_refunded", let transaction = order.transaction,
                !ambiguous.contains(transaction), let payment = end.payments[transaction], payment.share ?? 0 == 0
            else { return nil }
            return "\(id) is in review because of a part of \(transaction) that was given back"
        }
    }

    /// Where who reads the feed alone is wrong about orders. Of payments and the subscription it is asked after each word
    /// (``SubscriptionFeed``).
    private func untoldOrders(_ end: SubscriptionEnd) -> [String] {
        end.orders.compactMap { id, order -> String? in
            let told: Set<String>
            switch order.state {
            case "open": return nil
            case "fulfilled": told = ["order_fulfilled", "order_partly_refunded", "refund_reversed"]
            case "review": told = ["order_in_review"]
            default: told = ["order_\(order.state)"]
            }
            guard !told.contains(order.told ?? "") else { return nil }
            return "\(id) is \(order.state), and was told last as \(order.told ?? "nothing")"
        }.sorted()
    }
}

extension SubscriptionWorld: CustomStringConvertible {
    var description: String {
        let exceptions = exceptions.map(\.rawValue).sorted().joined(separator: " ")
        let traits = (isSilent ? ", silent" : "") + (isSandbox ? ", sandbox" : "")
        let head = "seed \(seed) at hour \(now), tokens \(tokens), \(form)\(traits) \(exceptions)"
        let orders = orders.map { order in
            "  \(order.id) of \(order.account): \(order.plan) at \(order.createdAt), token \(order.token ?? "-")"
                + (order.isRecovery ? ", recovery" : "")
        }
        let periods = periods.map { period in
            var text = "  \(period.id) \(period.isRenewal ? "renewal" : "purchase") of \(period.buyer): \(period.plan)"
            text += " from \(period.begins)"
            text += ", signed \(period.signedAt), token \(period.token ?? "-"), order \(period.order ?? "-")"
            text += ", ends \(period.ends.map { "\($0.value) (\($0.hour))" }.joined(separator: ", "))"
            let refunds = period.refunds.map { "\($0.value) (\($0.hour))" }.joined(separator: ", ")
            if !refunds.isEmpty { text += ", refunds " + refunds }
            return text
        }
        return ([head] + orders + periods).joined(separator: "\n")
    }

    func describe(_ place: Int) -> String {
        guard place < words.count else {
            let act = acts[place - words.count]
            return "\(act.kind) \(periods[act.period].id) \(act.order) as of \(act.hour)"
        }
        let word = words[place]
        let what =
            switch word.kind {
            case .told(let type): "told \(type) of"
            case .shown(let account, let order, let isReceipt):
                "\(account) shows\(isReceipt ? " a receipt with" : "") for \(order)"
            case .missed(let account, let order): "\(account) is rejected with \(order), by a receipt without"
            case .shared(let account, let order): "\(account) shows for \(order) what is shared of"
            case .unshared: "nothing is shared any more of"
            }
        return "\(place): at \(word.hour) \(what) \(periods[word.period].id)"
    }
}
