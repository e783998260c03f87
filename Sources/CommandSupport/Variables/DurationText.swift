// SPDX-License-Identifier: Apache-2.0

/// Durations as operators write them: a whole number and a unit, `500ms`, `5s`, `10min`, `2h`, `7d`.
package enum DurationText {
    private static let units: [(name: String, milliseconds: Int64)] = [
        ("ms", 1), ("s", 1000), ("min", 60_000), ("h", 3_600_000), ("d", 86_400_000),
    ]

    /// Nil for anything else, and for more than a thousand years.
    package static func parse(_ text: String) -> Duration? {
        let digits = text.prefix { ("0"..."9").contains($0) }
        guard let count = Int64(digits), let unit = units.first(where: { $0.name == text[digits.endIndex...] }) else {
            return nil
        }
        let (milliseconds, overflow) = count.multipliedReportingOverflow(by: unit.milliseconds)
        guard !overflow, milliseconds <= 365_000 * 86_400_000 else { return nil }
        return .milliseconds(milliseconds)
    }

    /// In the largest unit that divides it; what is finer than a millisecond is dropped.
    static func format(_ duration: Duration) -> String {
        let (seconds, attoseconds) = duration.components
        let milliseconds = seconds * 1000 + attoseconds / 1_000_000_000_000_000
        guard milliseconds != 0 else { return "0s" }
        for unit in units.reversed() where milliseconds % unit.milliseconds == 0 {
            return "\(milliseconds / unit.milliseconds)\(unit.name)"
        }
        return "\(milliseconds)ms"
    }
}
