// SPDX-License-Identifier: Apache-2.0

import AppStoreSimulator
import FoundationEssentials
import Verification

extension Comparison {
    /// Where `subscription_status` isn't true of what Apple has on record.
    func compareLives(of purchase: Purchase) -> [Difference] {
        purchase.lives.flatMap { life -> [Difference] in
            let original = life.begun(.now).originalTransactionID
            guard let truth = observation.lives?.facts[original] else { return [] }
            let lines = observation.subscriptions[original]?.lines
            return truth.lines.enumerated().compactMap { place, line in
                let got = lines?[place] ?? "no such subscription"
                guard line != got else { return nil }
                return Difference(kind: purchase.kind, subject: "subscription \(original)", expected: line, got: got)
            }
        }
    }

    /// Where who reads the feed alone is wrong.
    func compareFeed(of purchase: Purchase) -> [Difference] {
        guard let feed = observation.feed else { return [] }
        var found: [Difference] = []
        for order in purchase.orders {
            guard let outcome = observation.outcomes[order.id], let kinds = Self.kinds(ofOrderIn: outcome.state) else { continue }
            let told = feed.orders[order.id] ?? "nothing"
            if !kinds.contains(told) {
                found.append(
                    Difference(
                        kind: purchase.kind, subject: "the feed's last word of order \(order.id)", expected: kinds[0], got: told))
            }
        }
        for transaction in purchase.transactions {
            guard case .unclaimed(let reason) = transaction.fate, reason != .beforeLedger else { continue }
            let told = feed.payments[Observation.TransactionKey(transaction)] ?? "nothing"
            let expected = reason == .renewal ? "subscription_renewed" : "payment_unclaimed"
            if told != expected {
                found.append(
                    Difference(
                        kind: purchase.kind, subject: "the feed's last word of transaction \(transaction.id)", expected: expected,
                        got: told))
            }
        }
        return found
    }

    /// Nil: nothing need have been told.
    private static func kinds(ofOrderIn state: String) -> [String]? {
        switch state {
        case "open": nil
        case "fulfilled": ["order_fulfilled", "order_partly_refunded", "refund_reversed"]
        case "review": ["order_in_review"]
        default: ["order_" + state]
        }
    }
}
