// SPDX-License-Identifier: Apache-2.0

/// Where metrics are read: a numeric address and a port, `127.0.0.1:9464` or `[::1]:9464`. Port 0 takes a free one.
package struct MetricsAddress: Sendable, Hashable, CustomStringConvertible {
    package let host: String
    package let port: Int

    /// Nil for anything else, a name included: what a name means may change, and this is no place to look it up.
    package init?(_ text: String) {
        guard let colon = text.lastIndex(of: ":"), let port = UInt16(text[text.index(after: colon)...]) else {
            return nil
        }
        var host = text[..<colon]
        if host.hasPrefix("["), host.hasSuffix("]") {
            host = host.dropFirst().dropLast()
            guard host.contains(":"), host.allSatisfy({ $0.isHexDigit || $0 == ":" || $0 == "." }) else { return nil }
        } else {
            let parts = host.split(separator: ".", omittingEmptySubsequences: false)
            guard parts.count == 4, parts.allSatisfy({ UInt8($0) != nil }) else { return nil }
        }
        self.host = String(host)
        self.port = Int(port)
    }

    init(host: String, port: Int) {
        self.host = host
        self.port = port
    }

    /// Whether only this machine reaches it. Other spellings of `::1` count as reachable.
    package var isLoopback: Bool { host.hasPrefix("127.") || host == "::1" }

    package var description: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }
}
