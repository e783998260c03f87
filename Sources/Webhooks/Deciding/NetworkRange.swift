// SPDX-License-Identifier: Apache-2.0

import Glibc

/// An address's bytes: 4 of IPv4, 16 of IPv6.
struct AddressBytes: Sendable, Hashable {
    let bytes: [UInt8]

    /// - Parameter text: numeric, without a zone.
    init?(_ text: String) {
        var v4 = in_addr()
        if inet_pton(AF_INET, text, &v4) == 1 {
            bytes = withUnsafeBytes(of: &v4) { Array($0) }
            return
        }
        var v6 = in6_addr()
        guard inet_pton(AF_INET6, text, &v6) == 1 else { return nil }
        bytes = withUnsafeBytes(of: &v6) { Array($0) }
    }

    init(_ bytes: some Sequence<UInt8>) {
        self.bytes = Array(bytes)
    }
}

/// A network such as `10.0.0.0/8` or `fd00::/8`; an address alone is one, too.
package struct NetworkRange: Sendable, Hashable, CustomStringConvertible {
    package let description: String
    private let network: AddressBytes
    private let length: Int

    package init?(_ text: String) {
        let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        guard let network = AddressBytes(parts[0]) else { return nil }
        let width = network.bytes.count * 8
        if parts.count == 2 {
            guard let length = Int(parts[1]), (0...width).contains(length), parts[1] == String(length) else { return nil }
            self.length = length
        } else {
            length = width
        }
        self.network = network
        description = text
    }

    func contains(_ address: AddressBytes) -> Bool {
        guard address.bytes.count == network.bytes.count else { return false }
        let whole = length / 8
        guard address.bytes.prefix(whole) == network.bytes.prefix(whole) else { return false }
        let rest = length % 8
        guard rest > 0 else { return true }
        return (address.bytes[whole] ^ network.bytes[whole]) >> (8 - UInt8(rest)) == 0
    }
}
