// SPDX-License-Identifier: Apache-2.0

/// What is true of a subscription at the hour at which a world is looked at, by what Apple knows: the rules, told plainly.
struct SubscriptionTruth {
    typealias Hour = SubscriptionWorld.Hour

    let world: SubscriptionWorld

    /// Refunds that an operator recorded, by period.
    let operatorsRefunds: [Int: Hour]

    private let known: [SubscriptionWorld.Period]

    init(_ world: SubscriptionWorld, doing acts: [SubscriptionWorld.Act]) {
        self.world = world
        operatorsRefunds = Dictionary(
            acts.filter { $0.kind == .refund }.map { ($0.period, $0.hour) }, uniquingKeysWith: { first, _ in first })
        known = world.periods.filter { $0.signedAt <= world.now }
    }

    /// The parts of it that are compared with the row of `subscription_status`, times in hours.
    struct State: Hashable {
        var status: String
        var period: String?
        var plan: String?
        var end: Hour?
        var accessUntil: Hour?
        var renews: Bool?
        var next: String?
        var nextBegins: Hour?
        var nextEnd: Hour?
        var isInRetry: Bool?
        var graceEnds: Hour?
    }

    func state() -> State? {
        guard let (current, isRevoked) = current() else { return nil }
        let end = end(of: current)
        let next = known.first { $0.begins > world.now && !isTakenBack($0) }
        let isLatest = current.id == known.last { $0.begins <= world.now }!.id
        let grace = isLatest && !isRevoked ? self.grace(of: current) : nil
        let told = isLatest && !isRevoked ? lastTold(about: current) : nil
        let isInRetry = told.map(isInRetry) ?? false
        return State(
            status: isRevoked
                ? "revoked"
                : end > world.now
                    ? "active" : grace != nil ? "grace" : isInRetry ? "billing_retry" : "expired",
            period: current.id, plan: current.plan.rawValue, end: end,
            accessUntil: isRevoked ? min(end, takenBackAt(current)!) : max(end, grace ?? end), renews: renews, next: next?.id,
            nextBegins: next?.begins, nextEnd: next.map { $0.end(at: world.now) },
            isInRetry: lastTold.map { _ in isInRetry },
            graceEnds: told.flatMap(graceTold))
    }

    /// The latest that has begun; if that was taken back, the latest before it that stands and still runs.
    func current() -> (period: SubscriptionWorld.Period, isRevoked: Bool)? {
        let begun = known.filter { $0.begins <= world.now }
        guard let latest = begun.last else { return nil }
        guard isTakenBack(latest) else { return (latest, false) }
        if let running = begun.last(where: { !isTakenBack($0) && end(of: $0) > world.now }) { return (running, false) }
        return (latest, true)
    }

    /// By Apple's newest word; or when a period of another plan took its place.
    private func end(of period: SubscriptionWorld.Period) -> Hour {
        let end = period.end(at: world.now)
        let replaced = known.first {
            $0.begins > period.begins && $0.begins < end && $0.begins <= world.now && $0.plan != period.plan
        }
        return replaced?.begins ?? end
    }

    /// Until when it goes on without being paid, if it does.
    private func grace(of period: SubscriptionWorld.Period) -> Hour? {
        period.grace.flatMap { $0.hour <= world.now && world.now < $0.value ? $0.value : nil }
    }

    func isTakenBack(_ period: SubscriptionWorld.Period) -> Bool { takenBackAt(period) != nil }

    private func takenBackAt(_ period: SubscriptionWorld.Period) -> Hour? {
        if let index = world.periods.firstIndex(where: { $0.id == period.id }), let hour = operatorsRefunds[index] { return hour }
        guard period.isWhollyRefunded(at: world.now) else { return nil }
        return period.refunds.last { $0.hour <= world.now }!.hour
    }

    /// What Apple told last of the next renewal.
    private var lastTold: Hour? { world.words.filter(\.isApples).map(\.hour).max() }

    private var renews: Bool? { lastTold.flatMap { hour in world.renews.last { $0.hour <= hour }?.value } }

    /// The hour of Apple's newest word, if the period had begun by then: an earlier word is about an earlier period.
    private func lastTold(about period: SubscriptionWorld.Period) -> Hour? { lastTold.flatMap { $0 >= period.begins ? $0 : nil } }

    /// The end of the grace that Apple told at an hour. The grace may be over since.
    private func graceTold(at hour: Hour) -> Hour? {
        known.last { $0.signedAt <= hour }?.grace.flatMap { $0.hour <= hour && hour < $0.value ? $0.value : nil }
    }

    private func isInRetry(at hour: Hour) -> Bool { world.retries.last { $0.hour <= hour }?.value ?? false }
}
