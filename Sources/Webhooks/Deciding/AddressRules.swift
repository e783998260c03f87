// SPDX-License-Identifier: Apache-2.0

/// Which addresses may be called. An endpoint's name may lead anywhere: into the network of the workers, to the loopback, to the
/// metadata of a cloud. Only public addresses are called, and those of networks that the operator named.
package struct AddressRules: Sendable {
    /// Addresses that aren't public (IANA's registries of special-purpose addresses, RFC 6890), and multicast.
    private static let special = [
        "0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12", "192.0.0.0/24",
        "192.0.2.0/24",
        "192.88.99.0/24", "192.168.0.0/16", "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24", "224.0.0.0/4", "240.0.0.0/4",
        "2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20",
    ].map(network)
    /// All that is given to hosts of the Internet so far.
    private static let globalIPv6 = network("2000::/3")
    /// IPv6 addresses that lead to the IPv4 address in their last four bytes: mapped ones, and those of a translator (RFC 6052).
    private static let carriers = ["::ffff:0:0/96", "64:ff9b::/96"].map(network)

    /// Networks that may be called though they aren't public.
    package let allowed: [NetworkRange]

    package init(allowed: [NetworkRange] = []) {
        self.allowed = allowed
    }

    /// Whether a numeric address may be called.
    package func permit(_ address: String) -> Bool {
        guard let bytes = AddressBytes(address) else { return false }
        if allowed.contains(where: { $0.contains(bytes) }) { return true }
        if Self.carriers.contains(where: { $0.contains(bytes) }) {
            let carried = AddressBytes(bytes.bytes.suffix(4))
            return allowed.contains { $0.contains(carried) } || Self.isPublic(carried)
        }
        return Self.isPublic(bytes)
    }

    private static func isPublic(_ address: AddressBytes) -> Bool {
        guard address.bytes.count == 4 || globalIPv6.contains(address) else { return false }
        return !special.contains { $0.contains(address) }
    }

    private static func network(_ text: String) -> NetworkRange {
        guard let range = NetworkRange(text) else { fatalError("\(text) is a network") }
        return range
    }
}
