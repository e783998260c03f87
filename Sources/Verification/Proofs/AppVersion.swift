// SPDX-License-Identifier: Apache-2.0

/// The version of the app that made a proof, for people who look for what went wrong with one. Nothing is decided by it.
package struct AppVersion: Hashable, Sendable {
    /// Longest version, in characters. Default 50; Apple's are numbers and points. A longer one is as if there were none.
    package static let longest = 50

    package let rawValue: String

    /// - Returns: nil for what isn't short and printable.
    package init?(_ text: String) {
        guard (1...Self.longest).contains(text.utf8.count), text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else { return nil }
        rawValue = text
    }
}
