// SPDX-License-Identifier: Apache-2.0

/// Something that isn't as the plan says.
struct Difference: Hashable, Sendable {
    /// The purchase's kind, and its number; nil for what no purchase brought about.
    var kind: PurchaseKind?
    /// An order or a transaction, by its name.
    var subject: String
    var expected: String
    var got: String

    var line: String {
        "\(kind?.title ?? "unplanned"): \(subject): expected \(expected), got \(got)"
    }
}
