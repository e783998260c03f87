// SPDX-License-Identifier: Apache-2.0

/// Where a gateway listens.
package enum GatewayAddress: Hashable, Sendable, CustomStringConvertible {
    /// A numeric address.
    case network(host: String, port: Int)
    /// A socket's path; a file of the same name is replaced.
    case unix(path: String)

    package var description: String {
        switch self {
        case .network(let host, let port): host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
        case .unix(let path): "unix:\(path)"
        }
    }

    /// Whether what comes here went over a network in clear.
    package var isReachedByNetwork: Bool {
        switch self {
        case .network(let host, _): !(host.hasPrefix("127.") || host == "::1")
        case .unix: false
        }
    }
}

/// How much a gateway takes.
package struct GatewayLimits: Sendable {
    /// Calls a second of a key; default 200, and twice as many at once. Too low, and a busy shop is refused.
    package var callsPerSecond = 200.0
    package var callBurst = 400.0
    /// Uploads a second of a key; default 50.
    package var uploadsPerSecond = 50.0
    /// Requests that wait; default 10,000. Each holds a connection of the client's, and none of the database's.
    package var waits = 10_000
    /// Connections of a listener; default 20,000. The limit of descriptors must be higher.
    package var connections = 20_000
    /// Bytes of bodies in hand; default 64 MiB.
    package var bodyBytes = 64 * 1_048_576
    /// The longest wait; default 30 s.
    package var longestWait = Duration.seconds(30)

    package init() {}
}

/// How a gateway listens and answers.
package struct GatewayConfiguration: Sendable {
    /// For the shop's servers. Nil: nobody.
    package var shopAddress: GatewayAddress? = .network(host: "127.0.0.1", port: 8480)
    /// For Apple. Nil: nobody.
    package var appleAddress: GatewayAddress?
    /// Of each listener that has TLS. Without it, what comes over a network is refused.
    package var tls: [Route.Audience: TLSFiles] = [:]
    package var limits = GatewayLimits()
    package var deadlines = ConnectionDeadlines()
    /// Of what `/v1/me` and logs say.
    package var version = "development"

    package init() {}
}
