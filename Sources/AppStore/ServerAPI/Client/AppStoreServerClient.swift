// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Logging
import Verification

/// Apple's App Store Server API: one call, in one environment, about one app at a time.
///
/// Every method ends by its deadline, and calling it again is always safe. Nothing that Apple signed is believed before
/// its signature is checked here, and nothing about another app or environment than was asked about. No token, key or
/// signed text is in any error or log entry that comes from it. Safe to use from many tasks at once.
package struct AppStoreServerClient: Sendable {
    private let hosts: AppStoreHosts
    private let credentials: CredentialStore
    private let tokens: BearerTokens
    private let signedTransactions: SignedTransactionVerifier
    private let logger: Logger

    /// Tells the time of day, which histories are cut by.
    let now: @Sendable () -> Date

    /// - Parameter hosts: shut down by whoever made them, after the last call.
    init(
        hosts: AppStoreHosts, credentials: CredentialStore, tokens: BearerTokens,
        signedTransactions: SignedTransactionVerifier, logger: Logger,
        now: @escaping @Sendable () -> Date
    ) {
        self.hosts = hosts
        self.credentials = credentials
        self.tokens = tokens
        self.signedTransactions = signedTransactions
        self.logger = logger
        self.now = now
    }

    /// One request, and its answer with the body unread.
    ///
    /// - Throws: a failure when the key is missing or the answer is none.
    func call(
        _ request: ServerAPIRequest, about bundleID: BundleID, in environment: AppStoreEnvironment,
        deadline: ContinuousClock.Instant
    ) async throws(VerificationFailure) -> ServerAPIAnswer<HTTPResponse> {
        let key = try credentials.serverAPIKey(for: bundleID)
        let token = try tokens.token(for: bundleID, key: key)
        let started = ContinuousClock.now
        let outcome = await hosts.serverAPI[environment].send(
            HTTPRequest(request.method, request.target, token: token, body: request.body), deadline: deadline
        )
        log(outcome, of: request, about: bundleID, in: environment, started: started)
        switch outcome {
        case .failed(let fault):
            throw .unavailable("\(request.name): \(fault.rawValue)")
        case .tooLarge:
            throw .unknownAnswer("\(request.name) answered more than the largest answer allowed")
        case .answered(let answer):
            let answer = try ServerAPIReply(to: request).read(answer)
            if case .unauthorized = answer { tokens.discard(token, for: bundleID) }
            return answer
        }
    }

    /// As ``call(_:about:in:deadline:)``, for an answer whose body is a JSON object.
    ///
    /// - Throws: a transient failure, too, when it isn't.
    func call<Body: Decodable & Sendable>(
        _ request: ServerAPIRequest, as type: Body.Type, about bundleID: BundleID,
        in environment: AppStoreEnvironment, deadline: ContinuousClock.Instant
    ) async throws(VerificationFailure) -> ServerAPIAnswer<Body> {
        try await call(request, about: bundleID, in: environment, deadline: deadline)
            .map { answer throws(VerificationFailure) in
                guard let body = try? JSONDecoder().decode(Body.self, from: answer.body) else {
                    throw .unavailable("\(request.name) answered something other than the JSON it should")
                }
                return body
            }
    }

    /// As ``call(_:about:in:deadline:)``, for an answer that says all by its status: it comes without a body, or with JSON
    /// of which nothing is read.
    ///
    /// - Throws: a transient failure, too, for any other body: a page on the way says 200 as well, and did nothing.
    func callForStatus(
        _ request: ServerAPIRequest, about bundleID: BundleID, in environment: AppStoreEnvironment,
        deadline: ContinuousClock.Instant
    ) async throws(VerificationFailure) -> ServerAPIAnswer<Void> {
        struct Anything: Decodable {}
        return try await call(request, about: bundleID, in: environment, deadline: deadline)
            .map { answer throws(VerificationFailure) in
                guard answer.body.isEmpty || (try? JSONDecoder().decode(Anything.self, from: answer.body)) != nil else {
                    throw .unavailable("\(request.name) answered with something other than its status")
                }
            }
    }

    /// The transactions that Apple signed into an answer, each checked.
    ///
    /// - Throws: an uncertain failure when one isn't genuine, or is about another app or environment. That speaks
    ///   against the answer or our trust in its signer, never against a customer.
    func verified(
        _ signed: [String], in request: String, about bundleID: BundleID, in environment: AppStoreEnvironment
    ) async throws(VerificationFailure) -> VerifiedTransactions {
        var all: [Transaction] = []
        for jws in signed {
            do {
                all += try await signedTransactions.verify(jws, now: now()).all
            } catch {
                throw .unknownAnswer("\(request) answered a signed transaction that fails with \(error.rawValue)")
            }
        }
        guard all.allSatisfy({ $0.bundleID == bundleID && $0.environment == environment }) else {
            throw .unknownAnswer("\(request) answered a transaction of another app or environment than was asked about")
        }
        return VerifiedTransactions(all, mayBeIncomplete: false)
    }

    private func log(
        _ outcome: HTTPResult, of request: ServerAPIRequest, about bundleID: BundleID,
        in environment: AppStoreEnvironment, started: ContinuousClock.Instant
    ) {
        logger.debug(
            "asked the App Store Server API",
            metadata: [
                "app.bundle_id": "\(bundleID.rawValue)", "endpoint": "\(request.name)",
                "environment": "\(environment.rawValue)", "http.result": "\(outcome.summary)",
                "duration_ms": "\(started.duration(to: .now) / .milliseconds(1))",
            ]
        )
    }
}
