// SPDX-License-Identifier: Apache-2.0

import Verification

/// What a verification led to, in a form that can be compared.
enum Finding: Hashable {
    case transactions([Transaction])
    case refused(Reason)
    case elsewhere(AppStoreEnvironment)
    case failure(VerificationFailure.Kind, Reason)

    static let unavailable = Finding.failure(.transient, .appStoreUnavailable)
    static let unknownAnswer = Finding.failure(.uncertain(.review), .unknownAnswer)
    static let credentialRefused = Finding.failure(.credentialRefused, .configuration)
    static let misconfigured = Finding.failure(.configuration, .configuration)

    init(_ evidence: Evidence) {
        self =
            switch evidence {
            case .transactions(let transactions): .transactions(transactions.all)
            case .refused(let reason): .refused(reason)
            case .elsewhere(let environment): .elsewhere(environment)
            }
    }

    init(_ failure: VerificationFailure) {
        self = .failure(failure.kind, failure.reason)
    }

    /// Ids of the transactions that were found; empty when it ended otherwise.
    var transactionIDs: Set<String> {
        if case .transactions(let transactions) = self { Set(transactions.map(\.id.rawValue)) } else { [] }
    }
}
