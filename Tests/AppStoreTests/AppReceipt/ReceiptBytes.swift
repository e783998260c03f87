// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials

/// Writes a receipt's attributes by hand, right or wrong.
enum ReceiptBytes {
    /// One element of definite length, the length in as few bytes as it takes.
    static func element(_ tag: UInt8, _ content: [UInt8]) -> [UInt8] {
        let count = content.count
        if count < 0x80 { return [tag, UInt8(count)] + content }
        if count < 0x100 { return [tag, 0x81, UInt8(count)] + content }
        if count < 0x10000 { return [tag, 0x82, UInt8(count >> 8), UInt8(count & 255)] + content }
        return [tag, 0x83, UInt8(count >> 16 & 255), UInt8(count >> 8 & 255), UInt8(count & 255)] + content
    }

    static func set(_ elements: [[UInt8]]) -> [UInt8] { element(0x31, elements.flatMap(\.self)) }
    static func text(_ text: String) -> [UInt8] { element(0x0C, Array(text.utf8)) }
    static func date(_ text: String) -> [UInt8] { element(0x16, Array(text.utf8)) }
    static func number(_ bytes: UInt8...) -> [UInt8] { element(0x02, bytes) }

    static func attribute(_ type: Int, _ value: [UInt8]) -> [UInt8] {
        element(0x30, element(0x02, [UInt8(type >> 8), UInt8(type & 255)]) + number(1) + element(0x04, value))
    }

    static func purchase(_ attributes: [[UInt8]]) -> [UInt8] {
        attribute(17, set(attributes))
    }

    /// What makes a receipt of the simulated app; empty attributes are left out.
    static func app(
        type: [UInt8] = text("Production"), bundleID: [UInt8] = text("com.example.app"),
        created: [UInt8] = date("2026-01-31T09:30:00Z")
    ) -> [[UInt8]] {
        [(0, type), (2, bundleID), (12, created)].filter { !$0.1.isEmpty }.map { attribute($0.0, $0.1) }
    }

    /// The attributes that a purchase must have.
    static let coins: [Int: [UInt8]] = [
        1701: number(2), 1702: text("com.example.app.coins"), 1703: text("2000000000000001"),
        1704: date("2026-01-31T09:30:00Z"), 1705: text("2000000000000001"), 1706: date("2026-01-31T09:30:00Z"),
        1712: date(""),
    ]

    /// A purchase of coins that differs in some attributes; nil leaves one out.
    static func purchase(_ changes: [Int: [UInt8]?]) -> [UInt8] {
        let attributes = coins.merging(changes.compactMapValues { $0 }) { $1 }.filter { changes[$0.key] != .some(nil) }
        return purchase(attributes.sorted { $0.key > $1.key }.map { attribute($0.key, $0.value) })
    }
}
