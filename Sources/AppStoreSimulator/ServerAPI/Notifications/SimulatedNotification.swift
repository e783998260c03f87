// SPDX-License-Identifier: Apache-2.0

package import FoundationEssentials

/// A notification that the simulated store sent about an app, with what became of each try.
///
/// By itself nothing is sent: the history tells of it as if it had been.
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
    /// What it is about, as it was then; nil for a test, and where ``alternative`` stands.
    package var transaction: SimulatedTransaction?
    /// Of a notification about a subscription. The simulator adds to one without it what it knows of the subscription.
    package var renewalInfo: SimulatedRenewalInfo?
    /// Of a notification about a subscription.
    package var status: SubscriptionStatus?
    /// Why a customer asks for a refund, in Apple's words. Apple leaves it out at times.
    package var consumptionRequestReason: String?
    /// What stands in the place of `data`.
    package var alternative: Alternative?
    /// Seconds by which what is inside is signed later than the notification: Apple signs both at once, or some milliseconds apart.
    package var innerDelay: TimeInterval = 0
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

    /// One that is about no transaction.
    package init(
        _ notificationType: String, subtype: String? = nil, about alternative: Alternative, bundleID: String,
        environment: SimulatedEnvironment, date: Date = Date(), results: [String] = ["SUCCESS"]
    ) {
        self.notificationType = notificationType
        self.subtype = subtype
        self.alternative = alternative
        self.bundleID = bundleID
        self.environment = environment
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
}
