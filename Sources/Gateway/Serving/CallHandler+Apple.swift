// SPDX-License-Identifier: Apache-2.0

import Hummingbird
import Postgres
import Schema
import VerificationQueue

/// The address that App Store Connect is given.
extension CallHandler {
    private static let longestNotification = 262_144
    /// Apple waits, and a worker's settlement goes on: it is sent again.
    private static let notificationTimeout = Duration.seconds(2)

    /// - Throws: `notification_unreadable` for what isn't in Apple's form: nothing of Apple's is lost by that. A text that only our
    ///   verifier refuses is kept, within a bound, and verified again by a worker.
    func take(notification request: Request, _ requestID: String) async throws -> Answer {
        try await bodies.read(request, upTo: Self.longestNotification, tooLarge: Problem(.notificationTooLarge)) { body in
            guard !body.contains(0), let text = String(validating: body, as: UTF8.self) else {
                throw Problem(.notificationUnreadable)
            }
            let isSigned: Bool
            if let signed = Self.signedText(in: body) { isSigned = await isSignedByApple(signed) } else { isSigned = false }
            let rows = try await pool.execute(
                SQLFile.callReceiveNotification.statement, [.text(text), .bool(isSigned)], timeout: Self.notificationTimeout)
            let outcome = try rows.first?.string(0) ?? ""
            switch outcome {
            case "stored", "known", "unknown_app":
                return Answer(200, .object(["outcome": .string(outcome)]), requestID: requestID)
            case "being_stored": throw Problem(.databaseUnavailable, "another request stores the same notification", retryAfter: 1)
            default: throw Problem(.notificationUnreadable)
            }
        }
    }

    /// Other forms than Apple's own are for the database to read.
    private static func signedText(in body: [UInt8]) -> String? {
        (try? RequestObject(body, knowing: ["signedPayload"]))?.signedPayload
    }
}

extension RequestObject {
    fileprivate var signedPayload: String? { (try? string("signedPayload")) ?? nil }
}
