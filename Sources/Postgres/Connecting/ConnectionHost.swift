// SPDX-License-Identifier: Apache-2.0

/// One of the hosts that a connection string lists.
struct ConnectionHost: Sendable, Hashable, CustomStringConvertible {
    /// A name, a numeric address or the folder of a Unix socket; nil leaves it to libpq (`PGHOST`, the default socket).
    var name: String?
    /// A numeric address that spares the look-up of the name.
    var address: String?
    /// Nil leaves it to libpq (`PGPORT`, 5432).
    var port: String?

    /// An abstract socket begins with `@`.
    var isUnixSocket: Bool {
        address == nil && (name.map { $0.hasPrefix("/") || $0.hasPrefix("@") } ?? false)
    }

    var description: String {
        (name ?? address ?? "the default host") + (port.map { ":" + $0 } ?? "")
    }

    /// Pairs up the comma-separated lists of a connection string by libpq's rules.
    static func list(
        hosts: String?,
        addresses: String?,
        ports: String?
    ) throws(PostgresConfigurationError) -> [ConnectionHost] {
        let hosts = hosts.map(elements)
        let addresses = addresses.map(elements)
        let ports = ports.map(elements)
        let count = hosts?.count ?? addresses?.count ?? 1
        guard addresses.map({ $0.count == count }) ?? true,
            ports.map({ $0.count == count || $0.count == 1 }) ?? true
        else { throw .hostsDoNotMatch }
        // Whoever forgets to encode an "@" of a password has the rest of it here, and messages name hosts.
        guard !((hosts ?? []) + (addresses ?? [])).contains(where: { $0?.dropFirst().contains("@") ?? false }) else {
            throw .invalidValue(key: "host")
        }
        for case let port? in ports ?? [] {
            guard let number = Int(port), (1...65_535).contains(number) else { throw .invalidValue(key: "port") }
        }
        return (0..<count).map { index in
            ConnectionHost(
                name: hosts?[index],
                address: addresses?[index],
                port: ports.flatMap { $0.count == 1 ? $0[0] : $0[index] }
            )
        }
    }

    /// An empty element means the default, as in libpq.
    private static func elements(_ list: String) -> [String?] {
        list.split(separator: ",", omittingEmptySubsequences: false).map { $0.isEmpty ? nil : String($0) }
    }
}
