// SPDX-License-Identifier: Apache-2.0

import Crypto
import FoundationEssentials

/// The secrets by which an endpoint's events are signed: one, or two while they are replaced.
///
/// Nothing prints them.
package struct WebhookSecrets: Sendable, CustomStringConvertible, CustomReflectable {
    /// Why a file holds no secrets: a phrase to follow its name, without anything of its contents.
    package struct Fault: Error, Hashable, Sendable {
        package let problem: String
    }

    /// Before a secret in base64, as Standard Webhooks has it.
    private static let prefix = "whsec_"
    /// Bytes of a secret.
    private static let sizes = 24...64

    private let keys: [SymmetricKey]

    /// - Parameter contents: `whsec_` and base64, a line each; one or two lines.
    package init(contents: [UInt8]) throws(Fault) {
        guard contents.count <= 4096 else { throw Fault(problem: "is too large") }
        let lines = String(decoding: contents, as: UTF8.self).split(whereSeparator: \.isNewline)
            .map { $0.trimmingPrefix { $0.isWhitespace } }.filter { !$0.isEmpty }
        let keys = lines.compactMap { line -> SymmetricKey? in
            let text = line.reversed().drop { $0.isWhitespace }.reversed()
            let word = String(text)
            guard word.hasPrefix(Self.prefix), let bytes = Data(base64Encoded: String(word.dropFirst(Self.prefix.count))),
                Self.sizes.contains(bytes.count)
            else { return nil }
            return SymmetricKey(data: bytes)
        }
        guard keys.count == lines.count, (1...2).contains(keys.count) else {
            throw Fault(
                problem: "holds no secrets: one or two lines, each \(Self.prefix) and the base64 of 24 to 64 bytes")
        }
        self.keys = keys
    }

    /// The header `webhook-signature`: of each secret the version and the base64 of its HMAC-SHA-256 (Standard Webhooks).
    package func signature(id: String, timestamp: Int64, body: String) -> String {
        let content = Data("\(id).\(timestamp).\(body)".utf8)
        return keys.map { key in
            "v1," + Data(HMAC<SHA256>.authenticationCode(for: content, using: key)).base64EncodedString()
        }.joined(separator: " ")
    }

    package var description: String { "secrets" }
    package var customMirror: Mirror { Mirror(self, children: []) }
}
