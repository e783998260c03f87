// SPDX-License-Identifier: Apache-2.0

import EventSources
import FoundationEssentials
package import Logging
package import Postgres
import Schema
package import Verification

/// Asks Apple which notifications it sent, or tried to send, and takes those that never arrived: at the start of a worker, and
/// daily.
///
/// Of each app and environment one worker at a time is at it. What it takes goes the way of every notification, with the source
/// `history`; what came before is known by its id. It stays within the app's budget for this call, and its jobs come after those of
/// customers.
///
/// Apps take turns: after some pages of one the next is read, so that a history without an end holds up no other. Its pages have a
/// bound, and what the database refuses is one notification's fault.
///
/// Apple doesn't remember for ever, and an app may have had no address. So it asks for the newest of subscriptions that should have
/// renewed or ended by then, and of which nothing was told since.
///
/// Sources: appstoreserverapi/get-notification-history, get-all-subscription-statuses.
package struct NotificationCatchUp: Sendable {
    /// The columns of `take_catch_up.sql`.
    enum TakenColumn: Int, RowColumn { case bundleID, environment, until, isWhole, since }

    /// The column of `find_silent_subscriptions.sql`.
    enum SilentColumn: Int, RowColumn { case originalTransactionID }

    /// The columns of `take_page.sql`.
    enum PageColumn: Int, RowColumn { case stored, unreadable }

    private struct Period {
        let bundleID: BundleID
        let environment: AppStoreEnvironment
        let since: Date
        let until: PostgresTimestamp
        /// All is asked for, and not only what didn't arrive.
        let isWhole: Bool

        /// The same in parts.
        var parts: [Period] {
            let count = max(
                1,
                min(
                    NotificationCatchUp.mostParts,
                    (until.date.timeIntervalSince(since) / NotificationCatchUp.shortestPart).rounded(.up)))
            let step = until.date.timeIntervalSince(since) / count
            return (0..<Int(count)).map { part in
                let end = since.addingTimeInterval(step * Double(part + 1))
                return Period(
                    bundleID: bundleID, environment: environment, since: since.addingTimeInterval(step * Double(part)),
                    until: part + 1 == Int(count) ? until : PostgresTimestamp(end), isWhole: isWhole)
            }
        }
    }

    /// A history, as far as it was read.
    private struct Reading {
        let period: Period
        var parts: [Part]

        init(_ period: Period) {
            self.period = period
            parts = period.parts.map { Part(period: $0) }
        }

        var isOver: Bool { parts.allSatisfy(\.isOver) }

        /// How many notifications were new.
        var taken: Int { parts.reduce(0) { $0 + $1.taken } }
    }

    /// A part of a history, as far as it was read.
    private struct Part {
        let period: Period
        /// That of the next page; nil for the first.
        var position: String?
        /// The hashes of all positions so far: one that comes again leads round.
        var positions: Set<Int> = []
        var pages = 0
        var taken = 0
        var isOver = false

        /// Takes in a page.
        mutating func note(_ page: NotificationPage, atMost mostADay: Double) throws(Failure) {
            pages += 1
            position = page.position
            guard let position else {
                isOver = true
                return
            }
            guard positions.insert(position.hashValue).inserted else {
                throw Failure(message: "Apple's history leads back to a page that was read", delay: NotificationCatchUp.interval)
            }
            let days = max(1, period.until.date.timeIntervalSince(period.since) / 86_400)
            guard Double(pages) < days * mostADay else {
                throw Failure(message: "Apple's history has no end: \(pages) pages were read", delay: NotificationCatchUp.interval)
            }
        }
    }

    /// How one ended that failed.
    private struct Failure: Error {
        let message: String
        /// When the next may begin.
        let delay: Duration
    }

    /// How often an app is asked about. A day, in seconds.
    package static let interval = Duration.seconds(86_400)

    /// After a start, what was asked for within an hour isn't asked for again.
    package static let intervalAtStart = Duration.seconds(3600)

    /// How long a failed one waits, unless Apple refuses the key: then as long as a good one.
    private static let delayAfterFailure = Duration.seconds(600)

    /// The most subscriptions that Apple is asked about at a time: a quarter of a minute at production's rate. The others come
    /// next.
    private static let mostSubscriptions: Int32 = 500

    /// How long one waits whose database went away.
    private static let delayAfterDatabaseFailure = Duration.seconds(60)

    /// A page names the next one: pages that follow each other take as long as Apple's answers. So a long time is read in parts,
    /// several at once. A part has two days, in seconds, or more: what is read daily is one part.
    private static let shortestPart: TimeInterval = 2 * 86_400
    private static let mostParts = 8.0
    private static let partsAtOnce = 4

    /// Timeout of one page.
    private static let patience = Duration.seconds(30)

    /// How long it waits while too many notifications wait to be verified, and how often.
    private static let pause = Duration.seconds(1)
    private static let mostPauses = 60

    private let pool: PostgresPool
    private let verifier: any TransactionVerifier
    private let limiter: RateLimiter
    private let logger: Logger
    private let callMetrics: CallMetrics
    private let pagesATurn: Int
    private let mostPagesADay: Double

    /// - Parameters:
    ///   - pagesATurn: of each part of an app's history; then the next app has its turn. Apple's pages have 20 notifications.
    ///     Too few, and holding the others costs much; too many, and they wait.
    ///   - mostPagesADay: of a part of an app's history. 5,000 are 100,000 notifications, which is more than one a second.
    package init(
        pool: PostgresPool, verifier: any TransactionVerifier, logger: Logger, callMetrics: CallMetrics = .unread,
        pagesATurn: Int = 100, mostPagesADay: Double = 5_000
    ) {
        self.pool = pool
        self.verifier = verifier
        self.logger = logger
        self.callMetrics = callMetrics
        self.pagesATurn = pagesATurn
        self.mostPagesADay = mostPagesADay
        limiter = RateLimiter(store: BudgetStore(pool: pool))
    }

    /// Does all that is due. Apps take turns.
    ///
    /// - Parameter interval: how long ago the last one of an app may be.
    package func run(notWithin interval: Duration = interval) async throws {
        var unfinished: [Reading] = []
        while !Task.isCancelled {
            var reading: Reading
            if let period = try await take(interval) {
                // Without a key nobody can be asked: looked at again tomorrow.
                guard verifier.credential(of: period.bundleID, on: .serverAPI) != nil else {
                    try await end(period, failure: nil, due: Self.interval, isDone: false)
                    continue
                }
                // If its hold ended meanwhile, it begins anew.
                unfinished.removeAll { $0.period.bundleID == period.bundleID && $0.period.environment == period.environment }
                reading = Reading(period)
            } else if !unfinished.isEmpty {
                reading = unfinished.removeFirst()
            } else {
                return
            }
            do {
                try await read(&reading)
                if !reading.isOver { unfinished.append(reading) }
                for other in unfinished { try await hold(other.period) }
            } catch let failure as Failure {
                try await end(reading.period, failure)
            } catch let error as PostgresError where error.refusesForGood {
                try await end(
                    reading.period,
                    Failure(message: "the database refuses what the history has: \(error)", delay: Self.delayAfterFailure))
            } catch {
                // The database, which may be back already. Else the holds end by themselves.
                for one in [reading] + unfinished {
                    try? await end(one.period, failure: "the database was away", due: Self.delayAfterDatabaseFailure, isDone: false)
                }
                throw error
            }
        }
    }

    /// Reads some pages of a history, and ends it after the last.
    private func read(_ reading: inout Reading) async throws {
        try await readPages(of: &reading)
        guard reading.isOver else { return }
        let period = reading.period
        try await askAboutSilentSubscriptions(of: period)
        try await end(period, failure: nil, due: Self.interval, isDone: true)
        if reading.taken > 0 {
            logger.notice(
                "took notifications that had not arrived",
                metadata: [
                    "bundle.id": "\(period.bundleID.rawValue)", "environment": "\(period.environment.rawValue)",
                    "count": "\(reading.taken)",
                ])
        }
    }

    private func end(_ period: Period, _ failure: Failure) async throws {
        logger.warning(
            "could not catch up with notifications",
            metadata: [
                "bundle.id": "\(period.bundleID.rawValue)", "environment": "\(period.environment.rawValue)",
                "error": "\(failure.message)",
            ])
        try await end(period, failure: failure.message, due: failure.delay, isDone: false)
    }

    private func take(_ interval: Duration) async throws -> Period? {
        let rows = try await pool.execute(SQLFile.takeCatchUp.statement, [.double(interval.seconds)])
        guard let row = rows.first?.named(by: TakenColumn.self) else { return nil }
        return Period(
            bundleID: BundleID(rawValue: try row.string(.bundleID)),
            environment: try row.value(.environment, AppStoreEnvironment.init(rawValue:)), since: try row.timestamp(.since).date,
            until: try row.timestamp(.until), isWhole: try row.bool(.isWhole))
    }

    private func end(_ period: Period, failure: String?, due: Duration, isDone: Bool) async throws {
        _ = try await pool.execute(
            SQLFile.endCatchUp.statement,
            [
                .text(period.bundleID.rawValue), .text(period.environment.rawValue), .timestamp(isDone ? period.until : nil),
                .bool(period.isWhole), .double(due.seconds), .text(failure),
            ])
    }

    private func readPages(of reading: inout Reading) async throws {
        let open = reading.parts.enumerated().filter { !$0.element.isOver }
        let read = try await open.concurrentMap(atMost: Self.partsAtOnce) { try await readPages(of: $0.element) }
        for (one, part) in zip(open, read) { reading.parts[one.offset] = part }
    }

    private func readPages(of part: Part) async throws -> Part {
        var part = part
        let period = part.period
        let lastOfTurn = part.pages + pagesATurn
        var latest = try await page(of: period, from: part.position)
        while !Task.isCancelled {
            let page = latest
            try part.note(page, atMost: mostPagesADay)
            let isLast = part.isOver || part.pages == lastOfTurn
            // The next page is read while this one is stored.
            async let next = pageBehind(page, of: period, unless: isLast)
            part.taken += try await take(page.texts, of: period)
            guard let following = try await next else { return part }
            latest = following
        }
        throw Failure(message: "the worker stopped", delay: .zero)
    }

    /// - Returns: nil behind the last, also of a turn.
    private func pageBehind(_ page: NotificationPage, of period: Period, unless isLast: Bool) async throws -> NotificationPage? {
        guard !isLast, let position = page.position else { return nil }
        return try await self.page(of: period, from: position)
    }

    private func page(of period: Period, from position: String?) async throws -> NotificationPage {
        let budget = Budget(period.bundleID, .getNotificationHistory, period.environment)
        while case .refused(let delay) = await limiter.waitForTurn(of: budget, deadline: .now + Self.patience) {
            try await Task.sleep(for: delay)
        }
        do {
            let answer = try await callMetrics.measure(.serverAPI(period.environment), isRefusal: { $0 == nil }) {
                () throws(VerificationFailure) in
                try await verifier.notificationHistory(
                    NotificationPeriod(since: period.since, until: period.until.date, onlyFailures: !period.isWhole),
                    of: period.bundleID, in: period.environment, from: position, deadline: .now + Self.patience)
            }
            guard let answer else { throw Failure(message: "the App Store Server API refuses the app's key", delay: Self.interval) }
            return answer
        } catch let failure as VerificationFailure {
            throw Failure(message: failure.message, delay: max(Self.delayAfterFailure, failure.retryAfter ?? .zero))
        }
    }

    /// Asks Apple for the newest of each subscription of which a notification seems to be missing.
    private func askAboutSilentSubscriptions(of period: Period) async throws {
        let silent = try await pool.execute(
            SQLFile.findSilentSubscriptions.statement,
            [.text(period.bundleID.rawValue), .text(period.environment.rawValue), .int4(Self.mostSubscriptions)]
        ).map { TransactionID(rawValue: try $0.named(by: SilentColumn.self).string(.originalTransactionID)) }
        let store = SettlementStore(pool: pool, workerID: WorkerID(rawValue: 0))
        for id in silent where !Task.isCancelled {
            _ = try await store.record(try await subscriptions(of: id, period))
        }
    }

    private func subscriptions(of id: TransactionID, _ period: Period) async throws -> [SubscriptionWord] {
        let budget = Budget(period.bundleID, .getAllSubscriptionStatuses, period.environment)
        while true {
            let latestStart: ContinuousClock.Instant
            switch await limiter.waitForTurn(of: budget, deadline: .now + Self.patience) {
            case .granted(let latest): latestStart = latest
            case .refused(let delay):
                try await Task.sleep(for: delay)
                continue
            }
            do {
                let answer = try await callMetrics.measure(.serverAPI(period.environment), isRefusal: { $0 == nil }) {
                    () throws(VerificationFailure) in
                    try await verifier.subscriptions(
                        of: id, of: period.bundleID, in: period.environment, startingBy: latestStart,
                        deadline: .now + Self.patience)
                }
                guard let answer else {
                    throw Failure(message: "the App Store Server API refuses the app's key", delay: Self.interval)
                }
                return answer
            } catch let failure as VerificationFailure {
                // No connection stood by the end of the turn.
                guard failure.isLate else {
                    throw Failure(message: failure.message, delay: max(Self.delayAfterFailure, failure.retryAfter ?? .zero))
                }
            }
        }
    }

    private func take(_ texts: [String], of period: Period) async throws -> Int {
        // No signed text has a NUL, and a database keeps none.
        let storable = texts.filter { !$0.utf8.contains(0) }
        guard !storable.isEmpty else { return 0 }
        for _ in 0..<Self.mostPauses {
            do throws(PostgresError) {
                return try await store(storable, of: period)
            } catch {
                guard error.constraint == "at_most_2000_unverified_notifications" else { throw error }
            }
            try await Task.sleep(for: Self.pause)
        }
        throw Failure(message: "too many notifications wait to be verified", delay: Self.delayAfterFailure)
    }

    /// Keeps it for this worker while others have their turns.
    private func hold(_ period: Period) async throws(PostgresError) {
        _ = try await store([], of: period)
    }

    private func store(_ texts: [String], of period: Period) async throws(PostgresError) -> Int {
        let row = try await pool.execute(
            SQLFile.takePage.statement,
            [.text(period.bundleID.rawValue), .text(period.environment.rawValue), .textArray(texts)]
        )[0].named(by: PageColumn.self)
        return Int(try row.int32(.stored))
    }
}

extension PostgresError {
    /// Whether the server answered, and would answer the same again.
    fileprivate var refusesForGood: Bool {
        if case .server = kind { !isConnectionLoss && !mayPass } else { false }
    }
}
