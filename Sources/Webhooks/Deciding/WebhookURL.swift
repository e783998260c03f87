// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials

/// Where an endpoint is: https, without a user, a password or a fragment.
///
/// Its host has one spelling alone: what is looked up and checked must be what the HTTP client takes for the host. So capital
/// letters and percent-encoding are refused.
package struct WebhookURL: Sendable, Hashable {
    private static let longest = 1000

    package let text: String
    /// A name, or a numeric address without brackets.
    let host: String

    package init?(_ text: String) {
        let form = /https:\/\/(?:([a-z0-9](?:[a-z0-9.-]*[a-z0-9])?)|\[([0-9a-f:.]+)\])(?::([0-9]{1,5}))?(?:[\/?][!-"$-~]*)?/
        guard text.utf8.count <= Self.longest, let parts = text.wholeMatch(of: form)?.output,
            parts.3.map({ (1...65535).contains(Int($0) ?? 0) }) ?? true, let url = URL(string: text), let host = parts.1 ?? parts.2,
            url.host == String(host) || url.host == "[\(host)]"
        else { return nil }
        self.text = text
        self.host = String(host)
    }
}
