// SPDX-License-Identifier: Apache-2.0

/// The life of one subscription at Apple, and all that anybody will ever say of it: Apple, the clients, strangers, and an operator.
///
/// All from one seed, in whole hours. The code under test never sees it, only its words.
struct SubscriptionWorld {
    typealias Hour = Int

    /// Whose tokens purchases bear.
    enum Tokens: CaseIterable {
        case everyOrders, someOrders, accounts, oneForAll, none
    }

    /// In what form clients upload.
    enum Form: CaseIterable {
        case signed, mixed, receipts
    }

    enum Plan: String, CaseIterable {
        case gold, silver, year

        var length: Hour { (self == .year ? 365 : 30) * 24 }
    }

    struct Order {
        let id: String
        let account: String
        let plan: Plan
        let createdAt: Hour
        let token: String?
        let isRecovery: Bool
    }

    /// What Apple says of a value from some hour on.
    struct Since<Value> {
        let hour: Hour
        let value: Value
    }

    struct Period {
        let id: String
        let plan: Plan
        let buyer: String
        let begins: Hour
        /// Apple signed it first then. A renewal is signed before it begins, or days later.
        let signedAt: Hour
        let isRenewal: Bool
        let token: String?
        /// The order that its customer made for it.
        let order: String?
        /// Oldest first.
        var ends: [Since<Hour>]
        /// Shares in thousandths of a percent, oldest first; 0 gives all back.
        var refunds: [Since<Int>] = []
        /// Since when another plan stands in its place.
        var isUpgradedSince: Hour?
        var grace: Since<Hour>?
        /// Apple gave up renewing it.
        var lapsedAt: Hour?

        func end(at hour: Hour) -> Hour { (ends.last { $0.hour <= hour } ?? ends[0]).value }

        func share(at hour: Hour) -> Int { refunds.last { $0.hour <= hour }?.value ?? 0 }

        func isWhollyRefunded(at hour: Hour) -> Bool { share(at: hour) == 100_000 }
    }

    let seed: UInt64
    let tokens: Tokens
    let form: Form
    /// The app has no address for notifications.
    let isSilent: Bool
    let isSandbox: Bool

    var dice: WorldDice
    /// Draws what the rest of a life doesn't depend on.
    private var aside: WorldDice
    var orders: [Order] = []
    var periods: [Period] = []
    var renews: [Since<Bool>] = []
    var retries: [Since<Bool>] = []
    var words: [Word] = []
    var acts: [Act] = []
    /// Nobody ever says anything of one of its periods.
    private(set) var hasHole = false

    /// The hour at which it is looked at: nothing later was said.
    private(set) var now: Hour = 0

    /// The account that bought the first period; it may give way to another one.
    static let first = "ann"
    /// Whose all is that the first account has, once an operator moved it.
    static let moved = "zoe"
    static let stranger = "eve"
    static let member = "fay"
    private static let start: Hour = 2400

    init(seed: UInt64, playsSandbox: Bool = true) {
        self.seed = seed
        dice = WorldDice(seed: seed)
        aside = WorldDice(seed: ~seed &- 1)
        tokens = dice.pick([
            .everyOrders, .everyOrders, .everyOrders, .accounts, .accounts, .someOrders, .someOrders, .none, .none, .oneForAll,
        ])
        form = dice.pick([.signed, .signed, .mixed, .receipts])
        isSilent = dice.once(in: 7)
        isSandbox = dice.once(in: 8) && playsSandbox
        live()
        speak()
        look()
        if !isSandbox && !isSilent {
            if aside.once(in: 3) { forget() }
            if aside.once(in: 2) { lose() }
        }
    }

    // MARK: The life

    private mutating func live() {
        buy(at: Self.start, dice.pick(Plan.allCases), for: Self.first)
        for _ in 0..<dice.pick([1, 1, 2, 2, 3, 4, 5]) {
            guard goOn() else { break }
            if dice.once(in: 4) { refund(dice.among(0...periods.count - 1)) }
        }
        if dice.once(in: 4) { refund(dice.among(0...periods.count - 1)) }
    }

    /// What comes after the latest period.
    ///
    /// - Returns: false if nothing does.
    private mutating func goOn() -> Bool {
        let last = periods.count - 1
        let isOver = !periods[last].refunds.isEmpty || periods[last].lapsedAt != nil
        if !isOver && dice.once(in: 5) { extend(last) }
        let other = dice.pick(Plan.allCases.filter { $0 != periods[last].plan })
        let end = periods[last].end(at: .max)
        switch isOver ? dice.pick([4, 4, 4, 7]) : dice.among(0...7) {
        case 0, 1: renew(at: end, periods[last].plan, signedAt: end - 8)
        case 2: renew(at: end, other, signedAt: end - 8)
        case 3: change(last, to: other)
        case 4, 5: subscribeAgain(after: last)
        case 6: fail(last)
        default: return false
        }
        return true
    }

    private mutating func buy(at hour: Hour, _ plan: Plan, for account: String) {
        let isOrdered = tokens == .everyOrders || !dice.once(in: 7)
        let order = isOrdered ? makeOrder(of: account, plan, at: hour - 1) : nil
        let token = tokens == .accounts ? account : order.flatMap { id in orders.first { $0.id == id }!.token }
        renews.append(Since(hour: hour, value: true))
        retries.append(Since(hour: hour, value: false))
        append(plan, account, begins: hour, signedAt: hour, isRenewal: false, token: token, order: order)
        tell(periods.count == 1 ? "SUBSCRIBED" : "DID_CHANGE_RENEWAL_PREF", periods.count - 1, at: hour)
    }

    private mutating func renew(at hour: Hour, _ plan: Plan, signedAt: Hour) {
        let last = periods[periods.count - 1]
        renews.append(Since(hour: signedAt, value: true))
        retries.append(Since(hour: signedAt, value: false))
        append(plan, last.buyer, begins: hour, signedAt: signedAt, isRenewal: true, token: tokenAfter(last), order: nil)
        tell("DID_RENEW", periods.count - 1, at: signedAt)
    }

    /// A renewal inherits the token of its purchase. A backend may set a token at Apple after the purchase: then only the renewals
    /// bear it.
    private mutating func tokenAfter(_ period: Period) -> String? {
        guard tokens == .someOrders, period.token == nil, aside.once(in: 2) else { return period.token }
        let id = "O\(orders.count + 1)"
        orders.append(
            Order(
                id: id, account: period.buyer, plan: period.plan, createdAt: period.begins + 1, token: id, isRecovery: false))
        return id
    }

    private mutating func append(
        _ plan: Plan, _ buyer: String, begins: Hour, signedAt: Hour, isRenewal: Bool, token: String?, order: String?
    ) {
        periods.append(
            Period(
                id: "P\(periods.count + 1)", plan: plan, buyer: buyer, begins: begins, signedAt: signedAt, isRenewal: isRenewal,
                token: token, order: order, ends: [Since(hour: signedAt, value: begins + plan.length)]))
    }

    /// At once, up, down or across: the days that are left go back, and that is no refund.
    private mutating func change(_ index: Int, to plan: Plan) {
        let hour = max(periods[index].begins, periods[index].signedAt) + dice.among(48...216)
        periods[index].isUpgradedSince = hour
        buy(at: hour, plan, for: periods[index].buyer)
    }

    private mutating func subscribeAgain(after index: Int) {
        var end = max(periods[index].lapsedAt ?? periods[index].end(at: .max), periods[index].signedAt)
        if let refund = periods[index].refunds.last { end = max(end, refund.hour) }
        if periods[index].lapsedAt == nil && periods[index].refunds.isEmpty {
            renews.append(Since(hour: end - 5, value: false))
            tell("DID_CHANGE_RENEWAL_STATUS", index, at: end - 5)
        }
        buy(at: end + dice.among(48...2400), dice.pick(Plan.allCases), for: dice.pick([Self.first, Self.first, "bob"]))
    }

    /// The card is refused: sixteen days of grace, in which the customer may take another plan; then Apple tries on without it.
    private mutating func fail(_ index: Int) {
        let end = periods[index].end(at: .max)
        let grace = end + 16 * 24
        periods[index].grace = Since(hour: end + 1, value: grace)
        retries.append(Since(hour: end + 1, value: true))
        tell("DID_FAIL_TO_RENEW", index, at: end + 1)
        let recovers = dice.once(in: 2)
        if aside.once(in: 4) {
            let other = aside.pick(Plan.allCases.filter { $0 != periods[index].plan })
            buy(at: end + aside.among(24...360), other, for: periods[index].buyer)
        } else if recovers {
            renew(at: end, periods[index].plan, signedAt: end + dice.among(2...15 * 24))
        } else {
            periods[index].lapsedAt = grace
            tell("GRACE_PERIOD_EXPIRED", index, at: grace + 2)
        }
    }

    private mutating func extend(_ index: Int) {
        let hour = max(periods[index].begins, periods[index].signedAt) + 48
        periods[index].ends.append(Since(hour: hour, value: periods[index].end(at: .max) + 14 * 24))
        tell("RENEWAL_EXTENDED", index, at: hour)
    }

    /// Wholly or in part; the refund of an earlier period may be reversed.
    private mutating func refund(_ index: Int) {
        guard periods[index].refunds.isEmpty else { return }
        let last = periods[periods.count - 1]
        let known = max(periods[index].signedAt, periods[index].begins, last.signedAt, words.map(\.hour).max() ?? 0)
        var hour = known + dice.among(72...216)
        let share = dice.pick([100_000, 100_000, 100_000, 40_000])
        periods[index].refunds.append(Since(hour: hour, value: share))
        let isLast = index == periods.count - 1
        if isLast && share == 100_000 {
            renews.append(Since(hour: hour, value: false))
            retries.append(Since(hour: hour, value: false))
        }
        tell("REFUND", index, at: hour)
        let isReversed = !isLast && dice.once(in: 3)
        guard isReversed || share < 100_000 && aside.once(in: 2) else { return }
        hour += 120
        periods[index].refunds.append(Since(hour: hour, value: 0))
        tell("REFUND_REVERSED", index, at: hour)
    }

    mutating func makeOrder(
        of account: String, _ plan: Plan, at hour: Hour, isRecovery: Bool = false, bearsToken: Bool = true
    ) -> String {
        let id = "O\(orders.count + 1)"
        let token: String? =
            switch tokens {
            case .everyOrders: bearsToken ? id : nil
            case .someOrders: bearsToken && dice.once(in: 2) ? id : nil
            case .accounts: account
            case .oneForAll: "one for all"
            case .none: nil
            }
        orders.append(Order(id: id, account: account, plan: plan, createdAt: hour, token: token, isRecovery: isRecovery))
        return id
    }

    private mutating func tell(_ type: String, _ index: Int, at hour: Hour) {
        words.append(Word(hour: hour, period: index, kind: .told(type)))
    }

    // MARK: The hour

    /// Looks at it at its end, or somewhere in the middle: what comes later isn't said, and nobody ordered it yet.
    private mutating func look() {
        let hours = words.filter(\.isApples).map(\.hour)
        let end = max((words.map(\.hour) + acts.map(\.hour)).max() ?? 0, periods[periods.count - 1].begins) + 1
        now =
            dice.once(in: 2) || hours.isEmpty
            ? end + dice.pick([0, 0, dice.among(24...1500)]) : dice.pick(hours) + dice.pick([0, 9])
        let now = now
        words.removeAll { $0.hour > now }
        acts.removeAll { $0.hour > now }
        // Whoever orders later may bear the same token.
        let ordered = Set(words.compactMap(\.order) + acts.map(\.order))
        orders.removeAll { $0.createdAt > now && !ordered.contains($0.id) }
    }

    // MARK: What is never heard

    /// Nobody hears of a period between others. The periods around it may be years apart then.
    private mutating func forget() {
        let silent = periods.indices.dropFirst().dropLast().filter { index in
            periods[index].refunds.isEmpty && periods[index].grace == nil
                && words.allSatisfy { $0.period != index || $0.isApples } && acts.allSatisfy { $0.period != index }
        }
        guard !silent.isEmpty else { return }
        let index = aside.pick(silent)
        guard words.contains(where: { $0.period > index }) else { return }
        words.removeAll { $0.period == index }
        hasHole = true
    }

    /// Loses notifications whose transactions the customer's client shows later. The ledger knows as much without them.
    private mutating func lose() {
        for (place, word) in words.enumerated().reversed() where word.isOfTransactionAlone {
            let period = periods[word.period]
            // Of two words of one hour nobody knows which is newer.
            let isShown = words.contains { other in
                guard case .shown(period.buyer, _, isReceipt: false) = other.kind else { return false }
                return other.period == word.period && other.hour > word.hour
            }
            // One that was signed late follows a refused card, of which the lost word would say that it is over.
            let isLate = period.isRenewal && period.signedAt > period.begins
            if isShown && !isLate && aside.once(in: 2) { words.remove(at: place) }
        }
    }
}
