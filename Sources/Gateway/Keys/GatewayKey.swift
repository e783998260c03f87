// SPDX-License-Identifier: Apache-2.0

import Crypto

/// A key of a shop's server: `cf_live_`, 43 characters drawn by chance, and six that follow from these. A mistyped key is found
/// out without a look-up, and scanners for secrets know the form.
package struct GatewayKey: Sendable {
    static let start = "cf_live_"
    private static let alphabet = Array("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz")
    /// 256 bits.
    private static let drawn = 43
    private static let checked = 6
    /// The start and eight characters: they name a key to people, and leave 208 bits.
    private static let shown = 16

    /// The whole key: it is shown once, where it is made.
    package let text: String

    /// A new key.
    package init() {
        var generator = SystemRandomNumberGenerator()
        let start = Self.start + String((0..<Self.drawn).map { _ in Self.alphabet.randomElement(using: &generator) ?? "0" })
        text = start + Self.checksum(of: start)
    }

    /// Nil for what can't be a key.
    package init?(_ text: some StringProtocol) {
        let length = Self.start.count + Self.drawn + Self.checked
        guard text.utf8.count == length, text.hasPrefix(Self.start) else { return nil }
        let start = String(text.dropLast(Self.checked))
        guard Self.checksum(of: start) == text.suffix(Self.checked) else { return nil }
        self.text = String(text)
    }

    /// The key of a header `Authorization: Bearer …`; nil for any other header.
    package init?(authorization: String?) {
        guard let parts = authorization?.split(separator: " "), parts.count == 2, parts[0].lowercased() == "bearer" else {
            return nil
        }
        self.init(parts[1])
    }

    package var prefix: String { String(text.prefix(Self.shown)) }

    /// The digest that the database keeps.
    package var hash: [UInt8] { Array(SHA256.hash(data: Array(text.utf8))) }

    private static func checksum(of start: String) -> String {
        var number = SHA256.hash(data: Array(start.utf8)).prefix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        return String(
            (0..<checked).map { _ in
                defer { number /= UInt64(alphabet.count) }
                return alphabet[Int(number % UInt64(alphabet.count))]
            })
    }
}

/// One use that a key is for.
package enum KeyScope: String, CaseIterable, Sendable {
    case orders, read, feed, support
}

/// A key as the database has it.
package struct KeyFacts: Hashable, Sendable {
    package let prefix: String
    package let scopes: Set<String>
    /// Nil: all apps.
    package let bundleIDs: Set<String>?

    package init(prefix: String, scopes: Set<String>, bundleIDs: Set<String>?) {
        self.prefix = prefix
        self.scopes = scopes
        self.bundleIDs = bundleIDs
    }

    /// - Throws: `scope_missing`.
    package func require(_ scope: KeyScope) throws(Problem) {
        guard scopes.contains(scope.rawValue) else {
            throw Problem(.scopeMissing, "this key isn't for that", facts: ["scope": .string(scope.rawValue)])
        }
    }

    package func isFor(_ bundleID: String) -> Bool { bundleIDs?.contains(bundleID) ?? true }

    /// - Throws: `bundle_not_of_key`.
    package func require(bundle: String) throws(Problem) {
        guard isFor(bundle) else { throw Problem(.bundleNotOfKey, "this key is for other apps") }
    }
}
