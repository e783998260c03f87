// SPDX-License-Identifier: Apache-2.0

package import FoundationEssentials

/// A notification as Apple sent it to us, or tried to.
package final class SentNotification: Sendable {
    /// One try to hand it over.
    package struct Attempt: Hashable, Sendable {
        package let date: Date

        /// In Apple's words: `SUCCESS`, `TIMED_OUT`, `TLS_ISSUE` and others, and whatever Apple adds.
        package let result: String

        package var isSuccess: Bool { result == "SUCCESS" }
    }

    /// What was sent, signed by Apple and **not verified here**: to be read only through what reads notifications.
    package let unverifiedPayload: String

    package let attempts: [Attempt]

    init(_ entry: Entry) {
        unverifiedPayload = entry.signedPayload
        attempts = entry.sendAttempts.map { Attempt(date: $0.attemptDate.date, result: $0.sendAttemptResult) }
    }

    /// As Apple answers it.
    struct Entry: Decodable, Sendable {
        struct SendAttempt: Decodable, Sendable {
            let attemptDate: Milliseconds
            let sendAttemptResult: String
        }

        let signedPayload: String
        let sendAttempts: [SendAttempt]

        private enum CodingKeys: String, CodingKey {
            case signedPayload, sendAttempts
        }

        init(from decoder: any Decoder) throws {
            let fields = try decoder.container(keyedBy: CodingKeys.self)
            signedPayload = try fields.decode(String.self, forKey: .signedPayload)
            sendAttempts = try fields.decodeIfPresent([SendAttempt].self, forKey: .sendAttempts) ?? []
        }
    }
}
