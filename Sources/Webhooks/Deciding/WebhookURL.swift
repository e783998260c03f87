// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials

/// Where an endpoint is: https, without a user, a password or a fragment.
package struct WebhookURL: Sendable, Hashable {
    package let text: String
    /// A name, or a numeric address without brackets.
    let host: String

    package init?(_ text: String) {
        guard text.count <= 1000, let parts = URLComponents(string: text), parts.scheme == "https", var host = parts.host,
            !host.isEmpty, parts.user == nil, parts.password == nil, parts.fragment == nil,
            parts.port.map((1...65535).contains) ?? true, text.hasPrefix("https://"),
            text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7f })
        else { return nil }
        if host.hasPrefix("["), host.hasSuffix("]") { host = String(host.dropFirst().dropLast()) }
        self.text = text
        self.host = host.lowercased()
    }
}
