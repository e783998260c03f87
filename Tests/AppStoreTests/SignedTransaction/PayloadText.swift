// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials

/// The JSON of a payload, field by field, for what the simulated transaction can't say.
enum PayloadText {
    static let purchaseMilliseconds = "\(Int64(SigningFixture.purchaseDate.timeIntervalSince1970 * 1000))"

    private static let fields: [(name: String, value: String)] = [
        ("transactionId", #""430000000000001""#),
        ("originalTransactionId", #""430000000000001""#),
        ("bundleId", #""com.example.app""#),
        ("productId", #""com.example.app.coins""#),
        ("purchaseDate", purchaseMilliseconds),
        ("signedDate", purchaseMilliseconds),
        ("environment", #""Production""#),
    ]

    /// The fewest fields that a verdict needs, and the date of the signature; some of them replaced, added, or left out.
    static func json(_ changes: [String: String] = [:], leavingOut name: String? = nil) -> String {
        let known = Set(fields.map(\.name))
        let kept = fields.filter { $0.name != name }.map { ($0.name, changes[$0.name] ?? $0.value) }
        let added = changes.filter { !known.contains($0.key) }.map { ($0.key, $0.value) }
        return "{" + (kept + added).map { "\"\($0.0)\":\($0.1)" }.joined(separator: ",") + "}"
    }
}
