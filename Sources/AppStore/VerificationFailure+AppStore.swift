// SPDX-License-Identifier: Apache-2.0

import Verification

extension VerificationFailure {
    /// Apple's service, or the way to it, failed; it says nothing about the proof.
    static func unavailable(_ message: String, retryAfter: Duration? = nil) -> VerificationFailure {
        VerificationFailure(.transient, .appStoreUnavailable, message: message, retryAfter: retryAfter)
    }

    /// We call too often; the same call is welcome later.
    static func limited(_ message: String, retryAfter: Duration?) -> VerificationFailure {
        VerificationFailure(.rateLimited, .rateLimited, message: message, retryAfter: retryAfter)
    }

    /// The call's turn was over before a connection stood: nothing was sent.
    static func late(_ message: String) -> VerificationFailure {
        VerificationFailure(.rateLimited, .rateLimited, message: message, isLate: true)
    }

    /// An answer outside what Apple documents: tried some more, then left to a person.
    static func unknownAnswer(_ message: String) -> VerificationFailure {
        VerificationFailure(.uncertain(.review), .unknownAnswer, message: message)
    }

    /// Our set-up is at fault.
    static func misconfigured(_ message: String) -> VerificationFailure {
        VerificationFailure(.configuration, .configuration, message: message)
    }
}
