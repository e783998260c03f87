// SPDX-License-Identifier: Apache-2.0

import Postgres

/// Why a delivery failed.
package struct DeliveryFailure: Error, Sendable, Equatable {
    /// The session ended with it, so that the fault may be the server's and not the delivery's.
    package let lostSession: Bool
    /// One line of at most 500 characters.
    package let text: String

    package init(lostSession: Bool, text: String) {
        self.lostSession = lostSession
        self.text = text
    }

    /// - Returns: nil for an error that isn't the database's.
    init?(_ error: any Error) {
        guard let error = error as? PostgresError else { return nil }
        let lost =
            switch error.kind {
            case .connectionLost, .outcomeUnknown, .closed: true
            default: false
            }
        let message = error.message.split(whereSeparator: \.isNewline).joined(separator: " ")
        let state = error.sqlState.map { "\($0) " } ?? ""
        self.init(lostSession: lost, text: String((state + message).prefix(500)))
    }
}
