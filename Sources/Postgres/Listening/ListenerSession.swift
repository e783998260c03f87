// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Logging

/// What one iteration over a ``PostgresListener`` remembers between two elements.
///
/// Not `Sendable`: it belongs to the task that iterates.
final class ListenerSession {
    private struct Probe {
        let payload: String
        let deadline: ContinuousClock.Instant
    }

    private let listener: PostgresListener
    /// Nobody else listens to it, so that probes wake only us.
    private let probeChannel = "counterfoil_probe_" + UUID().uuidString.lowercased()

    private var connection: PostgresConnection?
    private var failures = 0
    /// Since when nothing is delivered; nil while it is.
    private var deafSince: ContinuousClock.Instant?
    private var hasComplained = false
    /// The probe that has not come back yet.
    private var probe: Probe?
    private var nextProbe = ContinuousClock.now
    private var probeCount = 0
    /// Whether the present connection has been told to the caller.
    private var isAnnounced = false

    init(listener: PostgresListener) {
        self.listener = listener
    }

    deinit {
        listener.setListening(false)
        connection?.closeSoon()
    }

    func next() async -> PostgresListener.Element? {
        while !Task.isCancelled {
            do throws(PostgresError) {
                let connection = try await liveConnection()
                try await sendProbeIfDue(on: connection)
                if let element = try await receive(on: connection) {
                    return element
                }
            } catch {
                await recover(from: error)
            }
        }
        listener.setListening(false)
        return nil
    }

    private func liveConnection() async throws(PostgresError) -> PostgresConnection {
        if let connection {
            return connection
        }
        let new = try await PostgresConnection.connect(listener.configuration, logger: listener.logger)
        connection = new
        isAnnounced = false
        probe = nil
        nextProbe = .now
        for channel in listener.channels + [probeChannel] {
            _ = try await new.execute(PostgresStatement(name: "listen", sql: "listen \(Self.quoted(channel))"))
        }
        return new
    }

    private func sendProbeIfDue(on connection: PostgresConnection) async throws(PostgresError) {
        guard probe == nil, nextProbe <= .now else { return }
        probeCount += 1
        let payload = String(probeCount)
        let deadline = ContinuousClock.now + listener.probeTimeout
        _ = try await connection.execute(
            PostgresStatement(name: "listener_probe", sql: "select pg_catalog.pg_notify($1, $2)"),
            [.text(probeChannel), .text(payload)],
            timeout: listener.probeTimeout
        )
        probe = Probe(payload: payload, deadline: deadline)
    }

    /// - Returns: nil when there is something to do before the next element.
    private func receive(on connection: PostgresConnection) async throws(PostgresError) -> PostgresListener.Element? {
        switch await connection.nextSignal(until: probe?.deadline ?? nextProbe) {
        case .element(.signal(let signal)) where signal.channel == probeChannel:
            return probeReturned(signal.payload)
        case .element(.signal(let signal)):
            return .signal(signal)
        case .element(.overflow):
            // A probe may have been among what was dropped: send another.
            probe = nil
            nextProbe = .now
            return .reconnected
        case .timedOut where probe != nil:
            throw PostgresError(.connectionLost, message: "a signal that the listener sent itself did not arrive")
        case .timedOut, .cancelled:
            return nil
        case .closed(let error):
            throw error
        }
    }

    private func probeReturned(_ payload: String) -> PostgresListener.Element? {
        guard payload == probe?.payload else { return nil }
        probe = nil
        nextProbe = .now + listener.probeInterval
        failures = 0
        deafSince = nil
        if hasComplained {
            hasComplained = false
            listener.logger.notice("listening to signals again")
        }
        listener.setListening(true)
        guard !isAnnounced else { return nil }
        isAnnounced = true
        return .reconnected
    }

    /// Drops the connection and waits before the next one is made.
    private func recover(from error: PostgresError) async {
        listener.setListening(false)
        await connection?.close()
        connection = nil
        failures += 1
        let since = deafSince ?? .now
        deafSince = since
        if !hasComplained, since.duration(to: .now) >= listener.patience {
            hasComplained = true
            listener.logger.warning("no signals arrive; trying again", metadata: ["error": "\(error)"])
        } else {
            listener.logger.debug(
                "the listener's connection broke",
                metadata: ["error": "\(error)", "failures": "\(failures)"]
            )
        }
        // What nobody but a person mends is not asked for several times a second. Ends early when the task is cancelled, which
        // the loop sees.
        let backoff = error.isRefusal ? ReconnectBackoff(longest: .seconds(30)) : ReconnectBackoff()
        try? await Task.sleep(for: backoff.delay(afterFailures: failures, fraction: .random(in: 0...1)))
    }

    private static func quoted(_ identifier: String) -> String {
        "\"" + identifier.replacing("\"", with: "\"\"") + "\""
    }
}
