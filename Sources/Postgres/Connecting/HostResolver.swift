// SPDX-License-Identifier: Apache-2.0

import EventSources
import Glibc

/// Looks up names on threads that may wait, because libpq would do it on the connection's queue.
package struct HostResolver: Sendable {
    private let queue = BlockingQueue(label: "counterfoil.postgres.resolve")

    package init() {}

    /// The numeric addresses of a name, in the system's order of preference.
    package func addresses(of name: String, until deadline: ContinuousClock.Instant) async throws(PostgresError) -> [String] {
        let lookUp = await queue.run(until: deadline) { Self.lookUp(name) }
        switch lookUp {
        case .success(let addresses):
            return addresses
        case .failure(let error):
            throw PostgresError(.connect, message: "could not look up the host \"\(name)\": \(error.message)")
        case nil where Task.isCancelled:
            throw PostgresError(.cancelled, message: "cancelled while looking up the host \"\(name)\"")
        case nil:
            throw PostgresError(.connectTimedOut, message: "no answer in time for the host name \"\(name)\"")
        }
    }

    private struct LookUpError: Error {
        let message: String
    }

    private static func lookUp(_ name: String) -> Result<[String], LookUpError> {
        var hints = addrinfo()
        hints.ai_family = AF_UNSPEC
        hints.ai_socktype = CInt(SOCK_STREAM.rawValue)
        var list: UnsafeMutablePointer<addrinfo>?
        let code = getaddrinfo(name, nil, &hints, &list)
        guard code == 0 else {
            return .failure(LookUpError(message: String(cString: gai_strerror(code))))
        }
        defer { freeaddrinfo(list) }
        var addresses: [String] = []
        var entry = list
        while let current = entry {
            if let address = numericAddress(of: current.pointee), !addresses.contains(address) {
                addresses.append(address)
            }
            entry = current.pointee.ai_next
        }
        return .success(addresses)
    }

    private static func numericAddress(of entry: addrinfo) -> String? {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(NI_MAXHOST)) { buffer in
            let code = getnameinfo(
                entry.ai_addr,
                entry.ai_addrlen,
                buffer.baseAddress,
                socklen_t(buffer.count),
                nil,
                0,
                NI_NUMERICHOST
            )
            guard code == 0, let start = buffer.baseAddress else { return nil }
            return String(cString: start)
        }
    }
}
