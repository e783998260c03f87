// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials

/// Where one of Apple's services is: `https://host` with an optional port, and nothing else.
package struct SecureBaseURL: Hashable, Sendable, CustomStringConvertible {
    /// `https://host[:port]`, without a slash at the end.
    package let description: String

    /// The host's name or address, as it stands in the URL.
    let host: String

    /// - Throws: for any other scheme, and for a user, a path, a query or a fragment.
    package init(_ text: String) throws(AppStoreConfigurationError) {
        guard let parts = URLComponents(string: text), parts.scheme?.lowercased() == "https",
            let host = parts.host, !host.isEmpty, parts.user == nil, parts.password == nil,
            parts.path.isEmpty || parts.path == "/", parts.query == nil, parts.fragment == nil,
            parts.port.map((1...65535).contains) ?? true
        else {
            throw AppStoreConfigurationError("an App Store address must be https://host or https://host:port")
        }
        self.host = host
        description = "https://" + host + (parts.port.map { ":\($0)" } ?? "")
    }
}
