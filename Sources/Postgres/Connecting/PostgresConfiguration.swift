// SPDX-License-Identifier: Apache-2.0

/// Where the database is, who we are, and how long we wait for it.
package struct PostgresConfiguration: Sendable {
    /// How we appear in `pg_stat_activity`, unless the URL says so. Default `counterfoil`.
    package var applicationName = "counterfoil"

    /// How long one host may take until a connection stands, name resolution and TLS included. Default 5 s, or the
    /// URL's `connect_timeout`.
    ///
    /// Too low, and a busy server or a far one is never reached; too high, and a dead first host of several holds up
    /// every new connection after a failover.
    package var connectTimeout: Duration = .seconds(5)

    /// The deadline of a call that is given none, and of the wait for a connection of a pool. Default 30 s.
    ///
    /// Too low cancels statements that would have ended; too high lets callers hang on a database that is stuck.
    package var statementTimeout: Duration = .seconds(30)

    /// How long a cancelled statement may take to end on the server before its connection is dropped, and how long a commit, which
    /// isn't cancelled, may still take before its caller goes on. Default 2 s.
    ///
    /// Too low drops connections that were about to recover; a caller's deadline may be exceeded by this much.
    package var cancellationGrace: Duration = .seconds(2)

    /// How often a pool asks whether the server still works on commits that have had no answer. Default 15 s. A commit that the
    /// server doesn't work on at two inspections in a row has lost its answer, and its connection is closed.
    package var inspectionInterval: Duration = .seconds(15)

    /// How long sent data may stay unacknowledged before the connection counts as broken (`tcp_user_timeout`), unless
    /// the URL says so. Default 10 s, to the millisecond; zero leaves it to the system, which waits for a quarter of an
    /// hour.
    package var tcpUserTimeout: Duration = .seconds(10)

    /// How long a connection is silent before the other side is probed (`keepalives_idle`), unless the URL says so.
    /// Default 30 s, in whole seconds; zero leaves it to the system (two hours).
    package var keepalivesIdle: Duration = .seconds(30)

    /// Time between two probes (`keepalives_interval`), unless the URL says so. Default 5 s, in whole seconds; zero
    /// leaves it to the system.
    package var keepalivesInterval: Duration = .seconds(5)

    /// Unanswered probes after which a silent connection counts as broken (`keepalives_count`), unless the URL says so.
    /// Default 3; zero leaves it to the system.
    package var keepalivesCount = 3

    /// Whether names are looked up in `pg_catalog` alone, at the level `read committed`, whatever the role's and the database's
    /// settings are. Default true.
    ///
    /// False is for tests and rehearsals that stand for a shop: others may make functions in the schemas of its path.
    package var isPinned = true

    /// A file that holds nothing but the password, read anew for each connection; it takes precedence over the URL's.
    /// (libpq's own format is named by `passfile` in the URL.)
    let passwordFile: String?

    /// What the URL says, but for hosts and timeouts.
    let parameters: [String: String]
    let hosts: [ConnectionHost]
    let targetSessionAttributes: TargetSessionAttributes

    /// - Parameters:
    ///   - url: a connection URI of libpq or its `key=value` form, with one or several hosts.
    ///   - passwordFile: the path of a file that holds the password.
    /// - Throws: an error that names the fault but never shows the string.
    package init(url: String, passwordFile: String? = nil) throws(PostgresConfigurationError) {
        var parameters = try ConnectionString.parse(url)
        hosts = try ConnectionHost.list(
            hosts: parameters.removeValue(forKey: "host"),
            addresses: parameters.removeValue(forKey: "hostaddr"),
            ports: parameters.removeValue(forKey: "port")
        )
        if let name = parameters.removeValue(forKey: "target_session_attrs") {
            guard let attributes = TargetSessionAttributes(rawValue: name) else {
                throw .invalidValue(key: "target_session_attrs")
            }
            targetSessionAttributes = attributes
        } else {
            targetSessionAttributes = .any
        }
        if let text = parameters.removeValue(forKey: "connect_timeout") {
            guard let seconds = Int(text) else { throw .invalidValue(key: "connect_timeout") }
            // libpq: zero and below wait for ever, which we never do.
            if seconds > 0 {
                connectTimeout = .seconds(seconds)
            }
        }
        self.parameters = parameters
        self.passwordFile = passwordFile
    }

    /// Whether the connection string has a password. The password of ``passwordFile`` takes precedence over it.
    package var hasPassword: Bool { parameters["password"] != nil }

    /// The same configuration for another database of the same server.
    package func withDatabase(_ name: String) -> PostgresConfiguration {
        PostgresConfiguration(copying: self, parameters: parameters.merging(["dbname": name]) { $1 })
    }

    private init(copying other: PostgresConfiguration, parameters: [String: String]) {
        applicationName = other.applicationName
        connectTimeout = other.connectTimeout
        statementTimeout = other.statementTimeout
        cancellationGrace = other.cancellationGrace
        inspectionInterval = other.inspectionInterval
        tcpUserTimeout = other.tcpUserTimeout
        keepalivesIdle = other.keepalivesIdle
        keepalivesInterval = other.keepalivesInterval
        keepalivesCount = other.keepalivesCount
        isPinned = other.isPinned
        passwordFile = other.passwordFile
        hosts = other.hosts
        targetSessionAttributes = other.targetSessionAttributes
        self.parameters = parameters
    }
}

extension PostgresConfiguration: CustomStringConvertible, CustomReflectable {
    /// The hosts and the database; nothing secret.
    package var description: String {
        let names = hosts.map(\.description).joined(separator: ",")
        return "\(parameters["dbname"] ?? "the default database") at \(names)"
    }

    package var customMirror: Mirror {
        Mirror(self, children: [("description", description)])
    }
}

extension PostgresConfiguration {
    /// The parameters of libpq for any of the hosts, but for host, address, port, and password.
    var commonParameters: [String: String] {
        var result = [
            "application_name": applicationName,
            // Looking for Kerberos credentials may block; a URL may ask for it all the same.
            "gssencmode": "disable",
        ]
        if tcpUserTimeout > .zero {
            result["tcp_user_timeout"] = String(tcpUserTimeout.wholeMilliseconds)
        }
        if keepalivesIdle > .zero {
            result["keepalives_idle"] = String(max(1, keepalivesIdle.components.seconds))
        }
        if keepalivesInterval > .zero {
            result["keepalives_interval"] = String(max(1, keepalivesInterval.components.seconds))
        }
        if keepalivesCount > 0 {
            result["keepalives_count"] = String(keepalivesCount)
        }
        result.merge(parameters) { $1 }
        // What strings are decoded as.
        result["client_encoding"] = "UTF8"
        return result
    }
}

extension Duration {
    /// Rounded down, but at least one for what is not zero.
    var wholeMilliseconds: Int64 {
        max(self > .zero ? 1 : 0, components.seconds * 1000 + components.attoseconds / 1_000_000_000_000_000)
    }
}

/// Why a connection string cannot be used. It never shows the string, which may hold a password.
package enum PostgresConfigurationError: Error, Sendable, Hashable, CustomStringConvertible {
    /// Neither a URI nor `key=value` pairs as libpq reads them, or a key that libpq doesn't know.
    case malformed
    /// As many ports (or numeric addresses) as hosts are needed, or one port for all.
    case hostsDoNotMatch
    /// The value of this key of libpq is not one that it allows.
    case invalidValue(key: String)

    package var description: String {
        switch self {
        case .malformed: "the database URL is not a connection string of libpq (postgres://user@host/database)"
        case .hostsDoNotMatch: "the database URL has not as many ports or numeric addresses as hosts"
        case .invalidValue(let key): "the database URL has a value for \(key) that is not allowed"
        }
    }
}
