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

    /// Apple refuses the app's secret or key.
    static func credentialRefused(_ message: String) -> VerificationFailure {
        VerificationFailure(.credentialRefused, .configuration, message: message)
    }

    /// Apple signed a transaction with facts that can't be read: as ``unknownAnswer(_:)``. The rest of it is carried along if it is
    /// of the app and the environment that were asked about.
    static func odd(
        _ odd: OddProof, answeredBy request: String, about bundleID: BundleID, in environment: AppStoreEnvironment
    ) -> VerificationFailure {
        let isAsked = odd.rest.map { $0.bundleID == bundleID && $0.environment == environment } ?? true
        return VerificationFailure(
            .uncertain(.review), .unknownAnswer, message: "\(request) answered a genuine transaction, and \(odd.message)",
            odd: isAsked ? odd : OddProof(odd.faults))
    }

    /// Our set-up is at fault.
    static func misconfigured(_ message: String) -> VerificationFailure {
        VerificationFailure(.configuration, .configuration, message: message)
    }
}
