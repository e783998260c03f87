// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Verification

/// Says a world's words as Apple signs them, in one playing of it: with ids of its own, and in the present.
struct SubscriptionSigner {
    let world: SubscriptionWorld
    let prefix: String
    let bundle: String

    /// The hour of the world that is now is half an hour ago.
    private let start: Date
    private let tokens: [String: UUID]

    init(_ world: SubscriptionWorld, prefix: String, bundle: String) {
        self.world = world
        self.prefix = prefix
        self.bundle = bundle
        let now = Date(timeIntervalSince1970: (Date().timeIntervalSince1970 - 1800).rounded(.down))
        start = now.addingTimeInterval(-Double(world.now) * 3600)
        let names = Set(world.orders.compactMap(\.token) + world.periods.compactMap(\.token))
        tokens = Dictionary(uniqueKeysWithValues: names.map { ($0, UUID()) })
    }

    func date(_ hour: SubscriptionWorld.Hour) -> Date { start.addingTimeInterval(Double(hour) * 3600) }

    func hour(_ seconds: Double) -> SubscriptionWorld.Hour {
        Int(((seconds - start.timeIntervalSince1970) / 3600).rounded())
    }

    func id(_ name: String) -> String { prefix + name }

    func token(_ name: String?) -> UUID? { name.flatMap { tokens[$0] } }

    /// A period as Apple knows it at an hour.
    ///
    /// - Parameter isSigned: whether it is a signed transaction. A receipt knows neither tokens, kinds, reasons nor shares.
    func transaction(_ index: Int, at hour: SubscriptionWorld.Hour, isSigned: Bool) -> Transaction {
        let period = world.periods[index]
        let asOf = date(hour)
        let share = period.share(at: hour)
        let revocation: Revocation? =
            if share == 0 || !isSigned && share < 100_000 {
                nil
            } else {
                Revocation(
                    isSigned ? .signedTransaction : .receipt, date: date(period.refunds.last { $0.hour <= hour }!.hour),
                    share: share == 100_000 ? .whole : .part(share), asOf: asOf)
            }
        return Transaction(
            bundleID: BundleID(rawValue: bundle), environment: world.isSandbox ? .sandbox : .production,
            id: TransactionID(rawValue: id(period.id)), originalID: TransactionID(rawValue: id("P1")),
            webOrderLineItemID: id("W" + period.id), productID: ProductID(rawValue: period.plan.rawValue),
            productKind: isSigned ? .autoRenewable : nil, purchaseDate: date(period.begins),
            expiresDate: date(period.end(at: hour)), endAsOf: asOf, revocation: revocation,
            appAccountToken: isSigned ? token(period.token) : nil, originalPurchaseDate: date(world.periods[0].begins),
            purchaseReason: isSigned ? (period.isRenewal ? .renewal : .purchase) : nil)
    }

    /// What a word shows.
    func evidence(_ word: SubscriptionWorld.Word) -> VerifiedTransactions {
        guard case .shown(_, _, isReceipt: true) = word.kind else {
            return VerifiedTransactions(
                [transaction(word.period, at: word.hour, isSigned: true)], mayBeIncomplete: false, signedAt: date(word.hour))
        }
        let all = world.periods.indices.filter { world.periods[$0].signedAt <= word.hour }
        return VerifiedTransactions(
            all.map { transaction($0, at: word.hour, isSigned: false) }, mayBeIncomplete: true, signedAt: date(word.hour))
    }

    /// What the family member has: a transaction of its own.
    func share(_ word: SubscriptionWorld.Word) -> Transaction {
        var shared = transaction(word.period, at: word.hour, isSigned: true)
        shared = Transaction(
            bundleID: shared.bundleID, environment: shared.environment, id: TransactionID(rawValue: id("F1")),
            originalID: TransactionID(rawValue: id("F1")), webOrderLineItemID: id("WF1"), productID: shared.productID,
            productKind: .autoRenewable, purchaseDate: shared.purchaseDate, expiresDate: shared.expiresDate,
            endAsOf: shared.endAsOf, originalPurchaseDate: shared.originalPurchaseDate)
        shared.ownership = .familyShared
        shared.revocation =
            word.kind == .unshared ? Revocation(.signedTransaction, date: date(word.hour), share: .whole, asOf: date(word.hour)) : nil
        return shared
    }

    func notification(_ word: SubscriptionWorld.Word, _ type: String, proof: String) -> StoreNotification {
        let transaction = transaction(word.period, at: word.hour, isSigned: true)
        return StoreNotification(
            type: type, bundleID: transaction.bundleID, environment: transaction.environment,
            contents: .transaction(transaction, signedAt: date(word.hour), text: proof), renewal: renewal(at: word.hour))
    }

    /// That the member has it no more.
    func revocation(_ word: SubscriptionWorld.Word, proof: String) -> StoreNotification {
        let shared = share(word)
        return StoreNotification(
            type: "REVOKE", bundleID: shared.bundleID, environment: shared.environment,
            contents: .transaction(shared, signedAt: date(word.hour), text: proof), renewal: nil)
    }

    private func renewal(at hour: SubscriptionWorld.Hour) -> Renewal {
        let latest = world.periods.last { $0.signedAt <= hour }!
        let grace = latest.grace.flatMap { $0.hour <= hour && hour < $0.value ? $0.value : nil }
        return Renewal(
            originalID: TransactionID(rawValue: id("P1")), productID: ProductID(rawValue: latest.plan.rawValue),
            willRenew: world.renews.last { $0.hour <= hour }!.value,
            isInBillingRetry: world.retries.last { $0.hour <= hour }!.value, graceEndsAt: grace.map(date),
            renewsAt: date(latest.end(at: hour)), signedAt: date(hour))
    }
}
