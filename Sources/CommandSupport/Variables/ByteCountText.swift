// SPDX-License-Identifier: Apache-2.0

/// Sizes as operators write them: a whole number of bytes, or of `KiB`, `MiB` or `GiB`.
enum ByteCountText {
    private static let units: [(name: String, bytes: Int)] = [
        ("", 1), ("KiB", 1 << 10), ("MiB", 1 << 20), ("GiB", 1 << 30),
    ]

    static func parse(_ text: String) -> Int? {
        let digits = text.prefix { ("0"..."9").contains($0) }
        guard let count = Int(digits), let unit = units.first(where: { $0.name == text[digits.endIndex...] }) else {
            return nil
        }
        let (bytes, overflow) = count.multipliedReportingOverflow(by: unit.bytes)
        return overflow ? nil : bytes
    }

    /// In the largest unit that divides it.
    static func format(_ bytes: Int) -> String {
        for unit in units.reversed() where bytes != 0 && bytes % unit.bytes == 0 {
            return "\(bytes / unit.bytes)\(unit.name)"
        }
        return String(bytes)
    }
}
