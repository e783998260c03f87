// SPDX-License-Identifier: Apache-2.0

import EventSources
import FoundationEssentials
import Logging

/// Finds a host that answers and is what we want, and connects to it.
///
/// Hosts are tried one at a time in the order of the URL, each address with a deadline of its own, because libpq's
/// asynchronous connecting has no deadline and would stay with a host that never answers.
struct Connector {
    let configuration: PostgresConfiguration
    let executor: SerialQueueExecutor
    let logger: Logger

    /// - Throws: the refusal of the first server that knows better than the other hosts could (wrong password, unknown
    ///   database), or else why each host failed.
    func connect() async throws(PostgresError) -> ConnectionHandle {
        var parameters = configuration.commonParameters
        if let password = try await password() {
            parameters["password"] = password
        }
        var failures: [PostgresError] = []
        for attributes in configuration.targetSessionAttributes.rounds {
            parameters["target_session_attrs"] = attributes.rawValue
            for host in configuration.hosts {
                do throws(PostgresError) {
                    return try await connect(to: host, parameters)
                } catch {
                    guard !Self.isFinal(error) else { throw error }
                    logger.debug("a database host was not reached", metadata: ["error": "\(error)"])
                    failures.append(error)
                }
            }
        }
        throw Self.summary(of: failures)
    }

    private func connect(
        to host: ConnectionHost,
        _ commonParameters: [String: String]
    ) async throws(PostgresError) -> ConnectionHandle {
        var parameters = commonParameters
        parameters["host"] = host.name
        parameters["port"] = host.port
        var failures: [PostgresError] = []
        for address in try await addresses(of: host) {
            parameters["hostaddr"] = address
            do throws(PostgresError) {
                return try await Handshake(executor: executor).connect(
                    parameters,
                    until: .now + configuration.connectTimeout
                )
            } catch {
                guard !Self.isFinal(error) else { throw error }
                failures.append(error)
            }
        }
        throw Self.summary(of: failures)
    }

    /// The numeric addresses of a host; nil stands for what libpq finds without a look-up.
    private func addresses(of host: ConnectionHost) async throws(PostgresError) -> [String?] {
        guard host.address == nil, let name = host.name, !host.isUnixSocket else {
            return [host.address]
        }
        return try await HostResolver().addresses(of: name, until: .now + configuration.connectTimeout)
    }

    private func password() async throws(PostgresError) -> String? {
        guard let path = configuration.passwordFile else { return nil }
        let queue = BlockingQueue(label: "counterfoil.postgres.password")
        let text = await queue.run(until: .now + configuration.connectTimeout) {
            try? String(contentsOfFile: path, encoding: .utf8)
        }
        guard let text = text ?? nil else {
            throw PostgresError(.connect, message: "could not read the password file \(path)")
        }
        return String(text.prefix { !$0.isNewline })
    }

    /// Whether other hosts would say the same, as libpq has it: a server that was reached and refused.
    private static func isFinal(_ error: PostgresError) -> Bool {
        error.kind == .cancelled || error.isRefusal
    }

    private static func summary(of failures: [PostgresError]) -> PostgresError {
        guard failures.count != 1 else { return failures[0] }
        let kinds = Set(failures.map(\.kind))
        let kind: PostgresError.Kind = kinds.contains(.unavailable) ? .unavailable : kinds.first ?? .connect
        return PostgresError(
            kinds.count == 1 || kind == .unavailable ? kind : .connect,
            message: failures.isEmpty ? "there is no address" : failures.map(\.message).joined(separator: "; ")
        )
    }
}
