// SPDX-License-Identifier: Apache-2.0

package import FoundationEssentials

/// A notification that the simulated store sent about an app, with what became of each try.
///
/// Nothing is really sent: the history tells of it as if it had been.
package struct SimulatedNotification: Sendable {
    /// Hours after the try before at which Apple tries again; in the sandbox there is one try only.
    /// Source: appstoreservernotifications/responding-to-app-store-server-notifications.
    static let retryHours: [Double] = [1, 12, 24, 48, 72]

    package var notificationUUID = UUID()
    /// In Apple's words: `ONE_TIME_CHARGE`, `REFUND`, `TEST` and others.
    package var notificationType: String
    package var subtype: String?
    package var bundleID: String
    package var environment: SimulatedEnvironment
    /// What it is about, as it was then; nil for a test.
    package var transaction: SimulatedTransaction?
    /// The first try; also when it was signed.
    package var date: Date
    /// What came of the tries, the first one first, in Apple's words: `SUCCESS`, `TIMED_OUT` and others. The last counts
    /// for all that come after it.
    package var results: [String]

    package init(
        _ notificationType: String, subtype: String? = nil, about transaction: SimulatedTransaction,
        date: Date = Date(), results: [String] = ["SUCCESS"]
    ) {
        self.notificationType = notificationType
        self.subtype = subtype
        bundleID = transaction.bundleId
        environment = transaction.environment
        self.transaction = transaction
        self.date = date
        self.results = results
    }

    /// A test.
    init(testFor scope: ServerAPIBook.Scope, date: Date, results: [String]) {
        notificationType = "TEST"
        bundleID = scope.bundleID
        environment = scope.environment
        self.date = date
        self.results = results
    }

    /// One try.
    struct Attempt: Equatable, Sendable {
        var date: Date
        var result: String
    }

    /// The tries up to a moment: until one succeeds, or as many as Apple makes.
    func attempts(until now: Date) -> [Attempt] {
        var attempts: [Attempt] = []
        var next = date
        let delays = environment == .production ? Self.retryHours : []
        for number in 0...delays.count where next <= now {
            let result = results.indices.contains(number) ? results[number] : results.last ?? "SUCCESS"
            attempts.append(Attempt(date: next, result: result))
            guard result != "SUCCESS", number < delays.count else { break }
            next = next.addingTimeInterval(delays[number] * 3600)
        }
        return attempts
    }

    /// The payload, signed as Apple would have at the time.
    package func signedPayload(by authority: SimulatedCertificateAuthority, appleID: Int64) throws -> String {
        var signed = transaction
        signed?.signedDate = date
        let signedTransaction = try signed?.signedTransaction(by: authority)
        var json = JSONWriter()
        json.object { json in
            json.field("notificationType", notificationType)
            json.field("subtype", subtype)
            json.field("notificationUUID", notificationUUID.uuidString.lowercased())
            json.field("version", "2.0")
            json.field("signedDate", date.milliseconds)
            json.key("data")
            json.object { json in
                json.field("environment", environment.rawValue)
                json.field("bundleId", bundleID)
                json.field("bundleVersion", "1")
                json.field("appAppleId", environment == .production ? appleID : nil)
                json.field("signedTransactionInfo", signedTransaction)
            }
        }
        return try authority.sign(payload: json.bytes, at: date)
    }
}
