// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import HTTPTypes
import HummingbirdCore
package import Logging
import NIOCore
package import NIOSSL
package import Postgres
import Synchronization

/// The shop's address for Apple's notifications: takes each body over HTTPS and passes it on by SQL, as a shop does that has no
/// gateway.
///
/// | Situation | Answer |
/// |---|---|
/// | stored, or known | 200 |
/// | not in Apple's form, too large | 400, 413 |
/// | the database is away, too many wait, or another call is storing the same | 503: Apple comes again |
package final class NotificationReceiver: Sendable {
    /// The largest body that is read, in bytes: a little more than a notification may have.
    private static let largestBody = 300_000

    private let pool: PostgresPool
    private let refusal: @Sendable () -> Bool

    /// - Parameters:
    ///   - pool: with the privileges of a backend.
    ///   - refusal: whether the next one is answered 503 without a look, as by a receiver in trouble.
    private init(pool: PostgresPool, refusal: @escaping @Sendable () -> Bool) {
        self.pool = pool
        self.refusal = refusal
    }

    /// Runs a receiver for as long as `body` takes, which gets the address for the App Store.
    ///
    /// - Parameters: as of ``init(pool:refusal:)``.
    package static func withRunning<Success: Sendable>(
        pool: PostgresPool, tls: TLSConfiguration, logger: Logger, refusal: @escaping @Sendable () -> Bool = { false },
        _ body: @Sendable (_ url: String) async throws -> Success
    ) async throws -> Success {
        let receiver = NotificationReceiver(pool: pool, refusal: refusal)
        return try await LoopbackAddress.withRunning(
            tls: tls, logger: logger,
            responder: { request, writer, _ in
                let status = await receiver.answer(request)
                let body = try await writer.writeHead(HTTPResponse(status: status))
                try await body.finish(nil)
            }
        ) { port in
            try await body("https://localhost:\(port)/notifications")
        }
    }

    private func answer(_ request: Request) async -> HTTPResponse.Status {
        guard request.method == .post else { return .badRequest }
        guard !refusal() else { return .serviceUnavailable }
        let text: String
        do {
            text = String(buffer: try await request.body.collect(upTo: Self.largestBody))
        } catch {
            return .contentTooLarge
        }
        do {
            let taken = try await pool.execute(RehearsalSQL.receiveNotification, [.text(text)])[0].string(0)
            if taken == "being_stored" { return .serviceUnavailable }
            if taken.hasPrefix("unreadable") { return .badRequest }
            _ = try? await pool.execute(RehearsalSQL.signalWorkers, [.text("counterfoil_jobs")])
            return .ok
        } catch {
            switch error.constraint {
            case "notification_has_at_most_256_kib": return .contentTooLarge
            default: return .serviceUnavailable
            }
        }
    }
}
