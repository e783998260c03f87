// SPDX-License-Identifier: Apache-2.0

import AppStore
import Verification

/// What a call to the App Store Server API led to, in a form that can be compared.
enum APIFinding: Hashable {
    case transactions([Transaction])
    case done
    case notFound(Int)
    case unauthorized
    case refused(Int)
    case failure(VerificationFailure.Kind, Reason)

    static let unavailable = APIFinding.failure(.transient, .appStoreUnavailable)
    static let limited = APIFinding.failure(.rateLimited, .rateLimited)
    static let unknownAnswer = APIFinding.failure(.uncertain(.review), .unknownAnswer)
    static let misconfigured = APIFinding.failure(.configuration, .configuration)

    init(_ call: () async throws(VerificationFailure) -> ServerAPIAnswer<VerifiedTransactions>) async {
        do {
            self.init(try await call()) { .transactions($0.all) }
        } catch {
            self = .failure(error.kind, error.reason)
        }
    }

    init(done call: () async throws(VerificationFailure) -> ServerAPIAnswer<Void>) async {
        do {
            self.init(try await call())
        } catch {
            self = .failure(error.kind, error.reason)
        }
    }

    init<Value>(_ answer: ServerAPIAnswer<Value>, _ value: (Value) -> APIFinding = { _ in .done }) {
        self =
            switch answer {
            case .answered(let answered): value(answered)
            case .notFound(let code): .notFound(code.rawValue)
            case .unauthorized: .unauthorized
            case .refused(let code): .refused(code.rawValue)
            }
    }

    /// Ids of the transactions that were found, in order; empty when it ended otherwise.
    var transactionIDs: [String] {
        if case .transactions(let transactions) = self { transactions.map(\.id.rawValue) } else { [] }
    }
}
