// SPDX-License-Identifier: Apache-2.0

import Verification

/// What the App Store Server API says to one call in one environment.
///
/// What isn't an answer (outages, faults of ours, answers outside of what Apple documents) is thrown as a failure.
package enum ServerAPIAnswer<Value: Sendable>: Sendable {
    case answered(Value)

    /// What was asked for isn't there: in this environment, under this app, or not yet.
    case notFound(ServerAPIErrorCode)

    /// Our token isn't taken. In production that is also what Apple says about apps that were never released, so alone
    /// it says nothing; ``EnvironmentSearch`` decides what it means.
    case unauthorized

    /// This input is refused for good.
    case refused(ServerAPIErrorCode)
}

extension ServerAPIAnswer {
    /// The same answer about something that is made from its value.
    func map<Other>(
        _ transform: (Value) async throws(VerificationFailure) -> Other
    ) async throws(VerificationFailure) -> ServerAPIAnswer<Other> {
        switch self {
        case .answered(let value): .answered(try await transform(value))
        case .notFound(let code): .notFound(code)
        case .unauthorized: .unauthorized
        case .refused(let code): .refused(code)
        }
    }
}
