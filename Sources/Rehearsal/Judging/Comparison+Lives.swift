// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Verification

extension Comparison {
    /// Where `subscription_status` isn't true of what Apple has on record.
    func compareLives(of purchase: Purchase) -> [Difference] {
        purchase.lives.flatMap { life -> [Difference] in
            let original = life.originalTransactionID
            let got = observation.subscriptions[original]
            func difference(_ expected: String, _ got: String) -> Difference {
                Difference(kind: purchase.kind, subject: "subscription \(original)", expected: expected, got: got)
            }
            if life.owner == .unknown { return got == nil ? [] : [difference("nothing", "a row of subscription_status")] }
            guard let truths = observation.lives else { return [] }
            guard let truth = truths[original] else { return [difference("a life at the App Store", "none")] }
            guard let got else { return [difference(truth.lines.joined(separator: ", "), "no such subscription")] }
            return zip(truth.lines, got.lines).filter { $0 != $1 }.map(difference)
        }
    }

    /// Where who reads the feed alone is wrong of a subscription. What somebody else paid for isn't told.
    private func compareTold(_ life: PlannedLife, _ feed: Observation.Feed, _ purchase: Purchase) -> [Difference] {
        let original = life.originalTransactionID
        func difference(_ expected: String, _ got: String) -> Difference {
            Difference(
                kind: purchase.kind, subject: "the feed's last word of subscription \(original)", expected: expected, got: got)
        }
        let got = feed.subscriptions[original]
        guard life.ownership == "PURCHASED", life.owner != .unknown else {
            return got == nil ? [] : [difference("nothing", "a change")]
        }
        guard let truth = observation.lives?[original] else { return [] }
        guard let got else { return [difference(truth.lines.joined(separator: ", "), "nothing")] }
        return zip(truth.lines, got.lines).filter { $0 != $1 }.map(difference)
    }

    /// Where who reads the feed alone is wrong.
    func compareFeed(of purchase: Purchase) -> [Difference] {
        guard let feed = observation.feed else { return [] }
        let orders = purchase.orders.compactMap { order -> Difference? in
            guard let outcome = observation.outcomes[order.id] else { return nil }
            let kinds = Self.kinds(ofOrderIn: outcome.state)
            let told = feed.orders[order.id]
            guard !kinds.contains(told) else { return nil }
            return Difference(
                kind: purchase.kind, subject: "the feed's last word of order \(order.id)", expected: kinds[0] ?? "nothing",
                got: told ?? "nothing")
        }
        return orders + purchase.lives.flatMap { compareTold($0, feed, purchase) }
            + purchase.transactions.indices.flatMap { compare(feed, ofTransaction: $0, purchase) }
    }

    private func compare(_ feed: Observation.Feed, ofTransaction number: Int, _ purchase: Purchase) -> [Difference] {
        let transaction = purchase.transactions[number]
        let got = feed.payments[Observation.TransactionKey(transaction)]
        func difference(_ expected: String, _ got: String) -> Difference {
            Difference(
                kind: purchase.kind, subject: "the feed's last word of transaction \(transaction.id)", expected: expected, got: got)
        }
        switch transaction.fate {
        case .unclaimed(.beforeLedger), .absent: return got.map { [difference("nothing", $0.kind)] } ?? []
        case .unclaimed(let reason):
            let kind = reason == .renewal ? "subscription_renewed" : "payment_unclaimed"
            guard let got, got.kind == kind else { return [difference(kind, got?.kind ?? "nothing")] }
            guard let life = purchase.lives.first(where: { $0.originalTransactionID == transaction.originalID }),
                case .account(let account) = life.owner, let records = observation.records[purchase.number]
            else { return [] }
            let truth = Observation.Telling(
                kind: kind, account: account, productID: transaction.product.productID,
                originalTransactionID: transaction.originalID,
                expiresAt: records.payments[number]?.expiresDate.map { Int64($0.timeIntervalSince1970.rounded(.down)) })
            return zip(truth.lines, got.lines).filter { $0 != $1 }.map(difference)
        // Its order was told, or it was called so before it was refunded.
        case .granted, .grantedThenRevoked, .sameGrant, .revoked: return []
        }
    }

    /// Which kinds a state leaves as the last. Nil stands for no change.
    private static func kinds(ofOrderIn state: String) -> [String?] {
        switch state {
        case "open": [nil]
        case "fulfilled": ["order_fulfilled", "order_partly_refunded", "refund_reversed"]
        case "review": ["order_in_review"]
        default: ["order_" + state]
        }
    }
}
