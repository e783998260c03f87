// SPDX-License-Identifier: Apache-2.0

package import FoundationEssentials
package import Logging
package import Verification

/// The App Store as the domain sees it: reads proofs, verifies by signature what can be, and asks Apple the rest.
///
/// Safe to use from many tasks at once. No proof, secret or body is in any error or log entry that comes from it.
package struct AppStoreVerifier: TransactionVerifier {
    /// The apps' shared secrets and API keys, to be reloaded when an operator changed one.
    package let credentials: CredentialStore

    /// The most pages of a customer's history that are read for one purchase: 100 purchases of one product.
    private static let pagesOfHistory = 5

    private let reader: ProofReader
    private let signedTransactions: SignedTransactionVerifier
    private let notifications: NotificationVerifier
    private let appReceipts: AppReceiptVerifier
    private let hosts: AppStoreHosts
    private let receipts: VerifyReceiptClient
    private let serverAPI: AppStoreServerClient
    private let now: @Sendable () -> Date

    /// - Throws: when a setting can't be worked with; the message names it.
    package init(_ configuration: AppStoreConfiguration, logger: Logger) throws(AppStoreConfigurationError) {
        reader = ProofReader(limits: configuration.limits)
        let anchors = TrustAnchors(further: configuration.extraRoots)
        let texts = SignedTextVerifier(anchors: anchors, chainCacheCapacity: configuration.chainCacheCapacity)
        signedTransactions = SignedTransactionVerifier(texts)
        notifications = NotificationVerifier(texts)
        appReceipts = AppReceiptVerifier(anchors: anchors, chainCacheCapacity: configuration.chainCacheCapacity)
        credentials = CredentialStore(directory: configuration.credentialsDirectory)
        now = configuration.now
        let tokens = try BearerTokens(configuration)
        // Last, and nothing after it throws: its clients must be shut down before they are let go.
        hosts = try AppStoreHosts(configuration)
        receipts = VerifyReceiptClient(credentials: credentials, hosts: hosts, logger: logger)
        serverAPI = AppStoreServerClient(
            hosts: hosts, credentials: credentials, tokens: tokens, signedTransactions: signedTransactions, logger: logger,
            now: configuration.now)
    }

    /// The event loops that calls to Apple go through. They end with ``shutdown()``.
    package var callExecutors: [any TaskExecutor] { hosts.loops.executors }

    package func readProof(_ text: String) throws(UnreadableProof) -> ReadProof {
        try reader.read(text)
    }

    package func mistake(in proof: Proof) -> String? {
        UnusableForm(proof)?.mistake
    }

    package func verify(
        _ proof: Proof, bundleID: BundleID, at endpoint: Endpoint, deadline: ContinuousClock.Instant
    ) async throws(VerificationFailure) -> Evidence {
        switch (proof, endpoint.route, endpoint.environment) {
        case (.signedTransaction(let jws), .local, _):
            return try await evidence("signed transaction") { () throws(Reason) in
                try await signedTransactions.contents(of: jws, now: now())
            }
        case (.appReceipt(let base64), .local, _):
            return try await evidence("receipt") { () throws(Reason) in try await appReceipts.contents(of: base64, now: now()) }
        case (.appReceipt(let base64), .verifyReceipt, let environment?):
            return try await receipts.verify(
                proof, base64: base64, bundleID: bundleID, in: environment, deadline: deadline
            )
        default:
            throw VerificationFailure(
                .needsAPerson, .unsupportedYet, message: "there is no way yet to verify this kind of proof"
            )
        }
    }

    package func verifyNotification(_ text: String) async throws(Reason) -> StoreNotification {
        try await notifications.verify(text, now: now())
    }

    package func verifyWithoutSecret(
        _ proof: Proof, bundleID: BundleID, in environment: AppStoreEnvironment, deadline: ContinuousClock.Instant
    ) async throws(VerificationFailure) -> Evidence {
        switch proof {
        case .appReceipt(let base64):
            return try await receipts.verify(
                proof, base64: base64, bundleID: bundleID, in: environment, sendsSecret: false, deadline: deadline)
        case .signedTransaction, .transactionID:
            throw VerificationFailure(.needsAPerson, .unsupportedYet, message: "verifyReceipt knows no such proof")
        }
    }

    package func lookUp(
        _ id: TransactionID, bundleID: BundleID, in environment: AppStoreEnvironment,
        startingBy latestStart: ContinuousClock.Instant?, deadline: ContinuousClock.Instant
    ) async throws(VerificationFailure) -> TransactionInfo {
        let answer = try await serverAPI.transactionInfo(
            id, of: bundleID, in: environment, startingBy: latestStart, deadline: deadline)
        switch answer {
        case .answered(let transactions): return .found(transactions)
        case .notFound: return .notFound
        case .refused: return .refused(.malformedProof)
        case .unauthorized: return .unauthorized
        }
    }

    package func history(
        of id: TransactionID, product: ProductID, since: Date?, bundleID: BundleID, in environment: AppStoreEnvironment,
        startingBy latestStart: ContinuousClock.Instant?, deadline: ContinuousClock.Instant
    ) async throws(VerificationFailure) -> TransactionInfo {
        var query = HistoryQuery()
        query.order = .newestFirst
        query.productIDs = [product]
        query.startDate = since
        let answer = try await serverAPI.transactionHistory(
            of: id, matching: query, about: bundleID, in: environment, startingBy: latestStart, deadline: deadline,
            maximumPages: Self.pagesOfHistory)
        switch answer {
        case .answered(let history): return .found(history.transactions)
        case .notFound: return .notFound
        case .refused: return .refused(.malformedProof)
        case .unauthorized: return .unauthorized
        }
    }

    /// Asks Apple for the transactions of one of Apple's orders. Its id stands on Apple's mail to the customer. Production only.
    ///
    /// - Returns: none where Apple knows no such order; nil when the key was refused.
    /// - Throws: VerificationFailure when it could not find out.
    package func transactions(
        ofAppleOrder id: String, of bundleID: BundleID, deadline: ContinuousClock.Instant
    ) async throws(VerificationFailure) -> [Transaction]? {
        switch try await serverAPI.transactions(ofOrder: id, of: bundleID, deadline: deadline) {
        case .answered(let transactions): return transactions.all
        case .notFound, .refused: return []
        case .unauthorized: return nil
        }
    }

    package func finish(
        _ id: TransactionID, bundleID: BundleID, in environment: AppStoreEnvironment,
        startingBy latestStart: ContinuousClock.Instant?, deadline: ContinuousClock.Instant
    ) async throws(VerificationFailure) {
        let answer = try await serverAPI.finish(
            id, of: bundleID, in: environment, startingBy: latestStart, deadline: deadline)
        switch answer {
        case .answered: return
        case .notFound(let code), .refused(let code):
            throw VerificationFailure(
                .uncertain(.review), .transactionNotFound, message: "Finish Transaction answered \(code)")
        case .unauthorized: throw .credentialRefused("the App Store Server API refuses the app's key")
        }
    }

    package func notificationHistory(
        _ period: NotificationPeriod, of bundleID: BundleID, in environment: AppStoreEnvironment, from position: String?,
        deadline: ContinuousClock.Instant
    ) async throws(VerificationFailure) -> NotificationPage? {
        var query = NotificationHistoryQuery(from: period.since, until: period.until)
        query.onlyFailures = period.onlyFailures
        let answer = try await serverAPI.notificationHistory(
            matching: query, from: position, about: bundleID, in: environment, deadline: deadline, maximumPages: 1)
        switch answer {
        case .answered(let history):
            return NotificationPage(
                texts: history.notifications.map(\.unverifiedPayload), position: history.isComplete ? nil : history.paginationToken)
        case .unauthorized: return nil
        case .notFound(let code), .refused(let code):
            throw VerificationFailure(
                .uncertain(.review), .unknownAnswer, message: "Get Notification History answered \(code)")
        }
    }

    package func subscriptions(
        of id: TransactionID, of bundleID: BundleID, in environment: AppStoreEnvironment,
        startingBy latestStart: ContinuousClock.Instant?, deadline: ContinuousClock.Instant
    ) async throws(VerificationFailure) -> [SubscriptionWord]? {
        let answer = try await serverAPI.subscriptionStatuses(
            of: id, about: bundleID, in: environment, startingBy: latestStart, deadline: deadline)
        switch answer {
        case .answered(let all):
            var words: [SubscriptionWord] = []
            for one in all { words.append(await notifications.word(one, of: bundleID, in: environment, now: now())) }
            return words
        case .notFound, .refused: return []
        case .unauthorized: return nil
        }
    }

    package func send(
        _ answer: ConsumptionAnswer, about id: TransactionID, of bundleID: BundleID, in environment: AppStoreEnvironment,
        startingBy latestStart: ContinuousClock.Instant?, deadline: ContinuousClock.Instant
    ) async throws(VerificationFailure) -> String? {
        let sent = try await serverAPI.sendConsumption(
            answer, about: id, of: bundleID, in: environment, startingBy: latestStart, deadline: deadline)
        switch sent {
        case .answered: return nil
        case .refused(let code): return "Send Consumption Information answered \(code)"
        // Apple asked about it: it may know it a moment later.
        case .notFound(let code):
            throw VerificationFailure(
                .uncertain(.review), .transactionNotFound, message: "Send Consumption Information answered \(code)")
        case .unauthorized: throw .credentialRefused("the App Store Server API refuses the app's key")
        }
    }

    /// Makes Apple send a test notification to the app's address.
    ///
    /// - Returns: whether Apple does; false when it refuses the key, which in production is also the answer for an app that was
    ///   never released.
    /// - Throws: a failure of kind `configuration` where the app has no address at Apple, and others when it could not find out.
    package func requestTestNotification(
        of bundleID: BundleID, in environment: AppStoreEnvironment, deadline: ContinuousClock.Instant
    ) async throws(VerificationFailure) -> Bool {
        switch try await serverAPI.requestTestNotification(about: bundleID, in: environment, deadline: deadline) {
        case .answered: return true
        case .unauthorized: return false
        case .notFound(let code), .refused(let code):
            throw VerificationFailure(
                .uncertain(.review), .unknownAnswer, message: "Request a Test Notification answered \(code)")
        }
    }

    package func claims(of proof: Proof) -> ReceiptClaims {
        ReceiptClaims(of: proof)
    }

    package func credential(of bundleID: BundleID, on route: Route) -> CredentialDigest? {
        switch route {
        case .local: nil
        case .verifyReceipt: credentials.digestOfSharedSecret(for: bundleID)
        case .serverAPI, .finishTransaction: credentials.digestOfServerAPIKey(for: bundleID)
        }
    }

    package func reloadCredentials() {
        credentials.reload()
    }

    /// Closes the connections to Apple. The verifier can't be used afterwards.
    package func shutdown() async throws {
        try await hosts.shutdown()
    }

    /// The transactions under a good signature, or the reason against the proof.
    ///
    /// - Throws: a failure for an operator if the signature is good and the proof odd.
    private func evidence(
        _ kind: String, _ verify: () async throws(Reason) -> VerifiedProof
    ) async throws(VerificationFailure) -> Evidence {
        let contents: VerifiedProof
        do {
            contents = try await verify()
        } catch {
            return .refused(error)
        }
        switch contents {
        case .transactions(let transactions):
            return .transactions(transactions)
        case .odd(let odd):
            throw VerificationFailure(
                .needsAPerson, .unknownAnswer, message: "a genuine \(kind), and \(odd.message)", odd: odd)
        }
    }
}
