// SPDX-License-Identifier: Apache-2.0

import Crypto
package import Postgres

/// An order as the gateway answers it: the columns of `order_status`.
package struct OrderAnswer: Hashable, Sendable {
    /// The columns that a client acts by: two answers in which these are the same mean the same to it.
    private static let tagged = [
        "state", "reason", "client_action", "transaction_id", "order_again_product_id", "order_again_quantity",
        "order_again_transaction_id", "refunded_share", "version",
    ]

    /// The columns that the gateway's own statements add.
    private static let ownColumns: Set<String> = ["is_made", "next_attempt_in"]

    package let json: JSONValue
    /// How long nothing can change, unless the feed tells of it; nil where nothing is pending, or where it isn't known.
    package let nextAttemptIn: Duration?

    package init(_ json: JSONValue, nextAttemptIn: Duration? = nil) {
        self.json = json
        self.nextAttemptIn = nextAttemptIn
    }

    package init(_ row: PostgresRow) {
        self.init(JSONValue(row, without: Self.ownColumns), nextAttemptIn: Self.nextAttempt(row))
    }

    /// ``nextAttemptIn`` of a row.
    static func nextAttempt(_ row: PostgresRow) -> Duration? {
        let last = row.columnCount - 1
        guard row.columnName(last) == "next_attempt_in", let seconds = try? row.optionalDouble(last) else { return nil }
        return .seconds(max(0, seconds))
    }

    package var orderID: String { json["order_id"]?.text ?? "" }
    package var accountID: String { json["account_id"]?.text ?? "" }
    package var bundleID: String { json["bundle_id"]?.text ?? "" }
    package var isWaiting: Bool { json["client_action"]?.text == "wait" }

    /// A strong validator, in quotes (RFC 9110, 8.8.3).
    package var eTag: String {
        var hash = SHA256()
        for name in Self.tagged {
            hash.update(data: Array("\(name)=\(json[name].map { "\($0)" } ?? "");".utf8))
        }
        return "\"" + PathID.encodeBase64URL(Array(hash.finalize().prefix(16))) + "\""
    }

    /// Whether a client that has `tags` has this answer.
    package func isKnown(_ tags: String?) -> Bool {
        guard let tags else { return false }
        return tags.split(separator: ",").contains { $0.trimmingPrefix { $0 == " " } == eTag }
    }
}
