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

    /// Sends one request and reads the answer.
    ///
    /// - Parameter read: makes the answer's value; it throws a failure when the body isn't the one that it should be.
    /// - Throws: a failure when the key is missing or the response is no answer.
    func call<Value: Sendable>(
        _ request: ServerAPIRequest, about bundleID: BundleID, in environment: AppStoreEnvironment,
        startingBy latestStart: ContinuousClock.Instant? = nil, deadline: ContinuousClock.Instant, read: (HTTPResponse) async throws(VerificationFailure) -> Value
    ) async throws(VerificationFailure) -> ServerAPIAnswer<Value> {
        let key = try credentials.serverAPIKey(for: bundleID)
        let token = try tokens.token(for: bundleID, key: key)
        let started = ContinuousClock.now
        let result = await hosts.serverAPI[environment].send(
            HTTPRequest(request.method, request.target, token: token, body: request.body, latestStart: latestStart),
            deadline: deadline)
        log(result, of: request, about: bundleID, in: environment, started: started)
        let answer = try ServerAPIAnswer(
            result.response(of: request.name), to: request.name, isPage: request.isPage)
        if case .unauthorized = answer { tokens.discard(token, for: bundleID) }
        return try await answer.map(read)
    }

    /// The transactions that Apple signed into an answer, each checked.
    ///
    /// - Throws: an uncertain failure when one isn't genuine, is odd, or is about another app or environment. That speaks
    ///   against the answer or our trust in its signer, never against a customer.
    func verified(
        _ signed: [String], in request: String, about bundleID: BundleID, in environment: AppStoreEnvironment
    ) async throws(VerificationFailure) -> VerifiedTransactions {
        var all: [Transaction] = []
        for jws in signed {
            let contents: VerifiedProof
            do {
                contents = try await signedTransactions.contents(of: jws, now: now())
            } catch {
                throw .unknownAnswer("\(request) answered a signed transaction that fails with \(error.rawValue)")
            }
            switch contents {
            case .transactions(let transactions): all += transactions.all
            case .odd(let odd): throw .odd(odd, answeredBy: request, about: bundleID, in: environment)
            }
        }
        guard all.allSatisfy({ $0.bundleID == bundleID && $0.environment == environment }) else {
            throw .unknownAnswer("\(request) answered a transaction of another app or environment than was asked about")
        }
        return VerifiedTransactions(all, mayBeIncomplete: false)
    }

    private func log(
        _ result: HTTPResult, of request: ServerAPIRequest, about bundleID: BundleID,
        in environment: AppStoreEnvironment, started: ContinuousClock.Instant
    ) {
        logger.debug(
            "asked the App Store Server API",
            metadata: [
                "app.bundle_id": "\(bundleID.rawValue)", "endpoint": "\(request.name)",
                "environment": "\(environment.rawValue)", "http.result": "\(result.summary)",
                "duration_ms": "\(started.duration(to: .now) / .milliseconds(1))",
            ]
        )
    }
}
