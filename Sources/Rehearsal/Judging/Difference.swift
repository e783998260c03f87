// SPDX-License-Identifier: Apache-2.0

/// Something that isn't as the plan says.
package struct Difference: Hashable, Sendable {
    /// The purchase's kind, and its number; nil for what no purchase brought about.
    package var kind: PurchaseKind?
    /// An order or a transaction, by its name.
    package var subject: String
    package var expected: String
    package var got: String

    package var line: String {
        "\(kind?.title ?? "unplanned"): \(subject): expected \(expected), got \(got)"
    }
}
