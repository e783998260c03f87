// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Synchronization
import Verification

/// An App Store whose answers the test writes, at the one seam there is.
///
/// A proof that starts with `eyJ` counts as a signed transaction, `MII` as a receipt, `MIA` as one in another encoding, digits as
/// a transaction id, anything else as malformed; a quote before it is repaired. Unless the test says otherwise, the word after the
/// prefix is the id of one paid
/// transaction of product `coins`.
final class ScriptedVerifier: TransactionVerifier {
    typealias Answer = @Sendable (_ proof: String, _ endpoint: Endpoint) async throws(VerificationFailure) -> Evidence

    typealias Look =
        @Sendable (_ id: String, _ environment: AppStoreEnvironment) async throws(VerificationFailure) -> TransactionInfo

    private let answer: Answer
    private let look: Look
    private let receiptClaims: ReceiptClaims
    private let secret = Mutex<UInt8>(1)
    private let log = Mutex<[Endpoint]>([])
    private let ends = Mutex<[String]>([])
    private let reloads = Mutex(0)
    private let turns = Mutex<[ContinuousClock.Instant?]>([])
    private let periods = Mutex<[NotificationPeriod]>([])
    private let history: [String]
    private let bought: [String: [Transaction]]
    private let pages: (@Sendable (BundleID, _ position: String?) -> NotificationPage)?
    private let asked = Mutex<[String]>([])
    private let statuses: [String: [SubscriptionWord]]

    struct SentConsumption: Equatable {
        let answer: ConsumptionAnswer
        let id: String
        let environment: AppStoreEnvironment
    }

    private let consumption: @Sendable (_ id: String) async throws(VerificationFailure) -> String?
    private let consumptions = Mutex<[SentConsumption]>([])

    /// The answers about refunds that were sent, in order.
    var sentConsumptions: [SentConsumption] { consumptions.withLock { $0 } }

    /// The transactions about whose subscriptions it was asked, in order.
    var askedSubscriptions: [String] { asked.withLock { $0 } }

    /// What Apple was asked about notifications, in order.
    var askedPeriods: [NotificationPeriod] { periods.withLock { $0 } }

    /// The endpoints that were asked, in order.
    var calls: [Endpoint] { log.withLock { $0 } }

    /// The transactions that were finished, in order.
    var finished: [String] { ends.withLock { $0 } }

    /// The ends of the turns of calls to the App Store Server API, in order.
    var latestStarts: [ContinuousClock.Instant?] { turns.withLock { $0 } }

    var credentialReloads: Int { reloads.withLock { $0 } }

    /// - Parameters:
    ///   - look: what the App Store Server API knows; the paid transaction itself unless the test says otherwise.
    ///   - claims: what each receipt says by its own bytes.
    ///   - history: Apple's history of notifications.
    ///   - bought: Apple's history of a customer's purchases, by a transaction of theirs.
    ///   - pages: the history of each app from each position, in place of `history`.
    ///   - consumption: what Apple says to an answer about a refund; nil: it takes it.
    init(
        _ answer: @escaping Answer = { proof, _ throws(VerificationFailure) in .paid(proof) },
        look: @escaping Look = { id, environment throws(VerificationFailure) in
            .known(.sample(id: id, environment: environment))
        }, claims: ReceiptClaims = ReceiptClaims(), history: [String] = [],
        bought: [String: [Transaction]] = [:], pages: (@Sendable (BundleID, _ position: String?) -> NotificationPage)? = nil,
        statuses: [String: [SubscriptionWord]] = [:],
        consumption: @escaping @Sendable (_ id: String) async throws(VerificationFailure) -> String? = {
            _ throws(VerificationFailure) in nil
        }
    ) {
        self.consumption = consumption
        self.statuses = statuses
        self.history = history
        self.bought = bought
        self.pages = pages
        self.answer = answer
        self.look = look
        receiptClaims = claims
    }

    /// Another secret and key from now on.
    func renewCredentials() {
        secret.withLock { $0 += 1 }
    }

    func readProof(_ text: String) throws(UnreadableProof) -> ReadProof {
        if text.hasPrefix("\"") {
            ReadProof(try readProof(String(text.dropFirst())).proof, repairs: [.jsonString])
        } else if text.hasPrefix("eyJ") {
            ReadProof(.signedTransaction(text))
        } else if text.hasPrefix("MII") {
            ReadProof(.appReceipt(text))
        } else if text.allSatisfy(\.isNumber) {
            ReadProof(.transactionID(TransactionID(rawValue: text)))
        } else if text.hasPrefix("MIA") {
            throw UnreadableProof(.unsupportedEncoding)
        } else {
            throw UnreadableProof(.malformedProof, mistake: text == "nil" ? "no value" : nil)
        }
    }

    func mistake(in proof: Proof) -> String? {
        proof == .signedTransaction("eyJ app") ? "an app transaction" : nil
    }

    func verify(
        _ proof: Proof, bundleID: BundleID, at endpoint: Endpoint, deadline: ContinuousClock.Instant
    ) async throws(VerificationFailure) -> Evidence {
        log.withLock { $0.append(endpoint) }
        switch proof {
        case .signedTransaction(let text), .appReceipt(let text):
            return try await answer(text, endpoint)
        case .transactionID:
            throw VerificationFailure(.needsAPerson, .unsupportedYet, message: "an id is looked up")
        }
    }

    /// `eyJ REFUND 1234` is a notification about a transaction of that id; anything else is none of Apple's.
    func verifyNotification(_ text: String) async throws(Reason) -> StoreNotification {
        let words = text.split(separator: " ").map(String.init)
        guard words.count == 3, words[0] == "eyJ" else { throw .badSignature }
        let transaction = Transaction.sample(id: words[2], revoked: words[1] == "REFUND" ? Date() : nil)
        return StoreNotification(
            type: words[1], bundleID: transaction.bundleID, environment: transaction.environment,
            contents: .transaction(transaction, signedAt: Date(), text: "eyJ \(words[2])"))
    }

    /// The test tells by the proof that no secret was sent.
    func verifyWithoutSecret(
        _ proof: Proof, bundleID: BundleID, in environment: AppStoreEnvironment, deadline: ContinuousClock.Instant
    ) async throws(VerificationFailure) -> Evidence {
        log.withLock { $0.append(.verifyReceipt(environment)) }
        guard case .appReceipt(let text) = proof else { return .refused(.malformedProof) }
        return try await answer(text + Self.withoutSecret, .verifyReceipt(environment))
    }

    static let withoutSecret = " without secret"

    func claims(of proof: Proof) -> ReceiptClaims {
        receiptClaims
    }

    func credential(of bundleID: BundleID, on route: Route) -> CredentialDigest? {
        route == .local ? nil : CredentialDigest(Array(repeating: secret.withLock { $0 }, count: 32))
    }

    func lookUp(
        _ id: TransactionID, bundleID: BundleID, in environment: AppStoreEnvironment,
        startingBy latestStart: ContinuousClock.Instant?, deadline: ContinuousClock.Instant
    ) async throws(VerificationFailure) -> TransactionInfo {
        log.withLock { $0.append(.serverAPI(environment)) }
        turns.withLock { $0.append(latestStart) }
        return try await look(id.rawValue, environment)
    }

    /// By the id that it is asked for; nil where Apple knows none.
    func history(
        of id: TransactionID, product: ProductID, since: Date?, bundleID: BundleID, in environment: AppStoreEnvironment,
        startingBy latestStart: ContinuousClock.Instant?, deadline: ContinuousClock.Instant
    ) async throws(VerificationFailure) -> TransactionInfo {
        log.withLock { $0.append(.serverAPI(environment)) }
        guard let bought = bought[id.rawValue] else { return .notFound }
        return .found(
            VerifiedTransactions(
                bought.filter { $0.productID == product && (since ?? .distantPast) <= $0.purchaseDate }, mayBeIncomplete: false))
    }

    func finish(
        _ id: TransactionID, bundleID: BundleID, in environment: AppStoreEnvironment,
        startingBy latestStart: ContinuousClock.Instant?, deadline: ContinuousClock.Instant
    ) async throws(VerificationFailure) {
        log.withLock { $0.append(Endpoint(route: .finishTransaction, environment: environment)) }
        turns.withLock { $0.append(latestStart) }
        if case .notFound = try await look(id.rawValue, environment) {
            throw VerificationFailure(.uncertain(.review), .transactionNotFound, message: "no such transaction")
        }
        ends.withLock { $0.append(id.rawValue) }
    }

    /// The pages that the test told, of a text each; nil without any.
    func notificationHistory(
        _ period: NotificationPeriod, of bundleID: BundleID, in environment: AppStoreEnvironment, from position: String?,
        deadline: ContinuousClock.Instant
    ) async throws(VerificationFailure) -> NotificationPage? {
        periods.withLock { $0.append(period) }
        if let pages { return pages(bundleID, position) }
        guard environment == .production, !history.isEmpty else {
            return environment == .production ? nil : NotificationPage(texts: [], position: nil)
        }
        let page = position.flatMap(Int.init) ?? 0
        return NotificationPage(texts: [history[page]], position: page + 1 < history.count ? "\(page + 1)" : nil)
    }

    func subscriptions(
        of id: TransactionID, of bundleID: BundleID, in environment: AppStoreEnvironment,
        startingBy latestStart: ContinuousClock.Instant?, deadline: ContinuousClock.Instant
    ) async throws(VerificationFailure) -> [SubscriptionWord]? {
        asked.withLock { $0.append(id.rawValue) }
        return statuses[id.rawValue] ?? []
    }

    func send(
        _ answer: ConsumptionAnswer, about id: TransactionID, of bundleID: BundleID, in environment: AppStoreEnvironment,
        startingBy latestStart: ContinuousClock.Instant?, deadline: ContinuousClock.Instant
    ) async throws(VerificationFailure) -> String? {
        consumptions.withLock { $0.append(SentConsumption(answer: answer, id: id.rawValue, environment: environment)) }
        return try await consumption(id.rawValue)
    }

    func reloadCredentials() {
        reloads.withLock { $0 += 1 }
    }
}

extension TransactionInfo {
    static func known(_ transaction: Transaction) -> TransactionInfo {
        .found(VerifiedTransactions([transaction], mayBeIncomplete: false))
    }
}

extension Evidence {
    /// One paid transaction, named by the proof's second word.
    static func paid(_ proof: String) -> Evidence {
        let words = proof.split(separator: " ")
        return .paid(.sample(id: words.count > 1 ? String(words[1]) : "0"), mayBeIncomplete: proof.hasPrefix("MII"))
    }

    static func paid(_ transactions: Transaction..., mayBeIncomplete: Bool = false) -> Evidence {
        .transactions(VerifiedTransactions(transactions, mayBeIncomplete: mayBeIncomplete))
    }
}

extension Transaction {
    /// A consumable of the sample app, bought now in production.
    static func sample(
        id: String, original: String? = nil, product: String = "coins", environment: AppStoreEnvironment = .production,
        kind: ProductKind? = .consumable, quantity: Int = 1, purchased: Date = Date(), token: UUID? = nil,
        revoked: Date? = nil, webOrder: String? = nil, ownership: Transaction.Ownership = .purchased
    ) -> Transaction {
        Transaction(
            bundleID: BundleID(rawValue: "com.example.game"), environment: environment, id: TransactionID(rawValue: id),
            originalID: TransactionID(rawValue: original ?? id), webOrderLineItemID: webOrder,
            productID: ProductID(rawValue: product), productKind: kind, quantity: quantity, purchaseDate: purchased,
            revocation: revoked.map { .whole($0, by: .receipt) }, appAccountToken: token, ownership: ownership)
    }
}
