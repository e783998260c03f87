// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Postgres
import Synchronization
import TestSupport
import Testing
import Verification
import VerificationQueue

/// Notifications that didn't arrive are taken from Apple's history.
@Suite struct NotificationCatchUpTests {
    private func catchUp(_ queue: QueueFixture, _ verifier: ScriptedVerifier) -> NotificationCatchUp {
        NotificationCatchUp(pool: queue.pool, verifier: verifier, logger: .test)
    }

    @Test func whatDidNotArriveIsTakenOnce() async throws {
        try await QueueFixture.run { queue in
            let texts = (0..<3).map { _ in QueueFixture.notificationText() }
            try await queue.receive(texts[0])
            let verifier = ScriptedVerifier(history: texts + ["what nobody can read"])

            try await catchUp(queue, verifier).run()

            #expect(
                try await queue.text("select string_agg(source, ',' order by id) from counterfoil.notifications")
                    == "push,history,history")
            // After customers' proofs, and after what Apple sends now.
            #expect(try await queue.count("counterfoil.jobs where kind = 'notification' and priority = 3") == 2)
            #expect(
                try await queue.text(
                    "select string_agg((caught_up_to is not null)::text || (failure is null), ',') from counterfoil.catch_ups")
                    == "truetrue,truetrue")
            #expect(try await queue.faults() == [])

            // Not due again.
            let asked = verifier.askedPeriods.count
            try await catchUp(queue, verifier).run()
            #expect(verifier.askedPeriods.count == asked)
        }
    }

    private static func days(_ period: NotificationPeriod) -> Double {
        period.until.timeIntervalSince(period.since) / 86_400
    }

    /// Apple remembers 180 days, of the sandbox 30; and a day is asked for again.
    @Test func theNextBeginsADayBeforeTheLast() async throws {
        try await QueueFixture.run { queue in
            let verifier = ScriptedVerifier(history: [QueueFixture.notificationText()])
            try await catchUp(queue, verifier).run()
            let first = verifier.askedPeriods

            try await queue.admin.execute("update counterfoil.catch_ups set due_at = now()")
            try await catchUp(queue, verifier).run()
            let second = verifier.askedPeriods.dropFirst(first.count)

            // In parts, several at once.
            #expect(first.map(Self.days).reduce(0, +).rounded() == 210)
            #expect(first.allSatisfy { !$0.onlyFailures })
            #expect(first.count == 16)
            #expect(Set(first.map(\.since)).count == first.count)
            #expect(second.allSatisfy { $0.onlyFailures && abs($0.until.timeIntervalSince($0.since) - 86_400) < 60 })

            // All of a week, once a week.
            try await queue.admin.execute("update counterfoil.catch_ups set due_at = now(), whole_at = now() - interval '8 days'")
            try await catchUp(queue, verifier).run()
            let third = verifier.askedPeriods.dropFirst(first.count + second.count)
            #expect(third.allSatisfy { !$0.onlyFailures && Self.days($0) <= 2 })
            #expect(abs(third.map(Self.days).reduce(0, +) - 18) < 0.01)
        }
    }

    @Test func aRefusedKeyIsAFailureThatWaitsADay() async throws {
        try await QueueFixture.run { queue in
            try await catchUp(queue, ScriptedVerifier()).run()

            #expect(
                try await queue.text(
                    """
                    select concat_ws(' ', caught_up_to is null, due_at > now() + interval '23 hours', failure) from counterfoil.catch_ups
                    where environment = 'production'
                    """) == "t t the App Store Server API refuses the app's key")
        }
    }

    // MARK: Histories that are odd

    private static let otherApp = "com.example.other"

    /// A second app, whose turn comes after the first one's.
    private func addAnotherApp(_ queue: QueueFixture) async throws {
        try await queue.admin.execute(
            "insert into counterfoil.apps (bundle_id, sandbox_policy) values ('\(Self.otherApp)', 'deny')")
        try await queue.admin.execute(
            "update counterfoil.catch_ups set due_at = now() - interval '1 hour' where bundle_id = '\(QueueFixture.bundle)'")
        try await queue.admin.execute("update counterfoil.budgets set calls_per_second = 10000")
    }

    /// What became of an app's catch-ups.
    private func ends(_ queue: QueueFixture, of app: String) async throws -> String? {
        try await queue.text(
            """
            select string_agg(coalesce(regexp_replace(failure, '[0-9]+', 'N'), 'done'), ',' order by environment)
            from counterfoil.catch_ups where bundle_id = '\(app)'
            """)
    }

    @Test(arguments: [
        ("leads round", "Apple's history leads back to a page that was read"),
        ("goes on for ever", "Apple's history has no end: N pages were read"),
    ])
    func aHistoryWithoutAnEndHoldsUpNoOther(_ how: String, failure: String) async throws {
        try await QueueFixture.run { queue in
            try await addAnotherApp(queue)
            let text = QueueFixture.notificationText(bundle: Self.otherApp)
            let asked = Mutex<[String]>([])
            let verifier = ScriptedVerifier(pages: { app, position in
                let count = asked.withLock { asked in
                    asked.append(app.rawValue)
                    return asked.count
                }
                guard app.rawValue == QueueFixture.bundle else { return NotificationPage(texts: [text], position: nil) }
                return NotificationPage(texts: [], position: how == "leads round" ? (position == "a" ? "b" : "a") : "\(count)")
            })

            try await NotificationCatchUp(
                pool: queue.pool, verifier: verifier, logger: .test, pagesATurn: 2,
                mostPagesADay: how == "leads round" ? 5_000 : 0.25
            ).run()

            #expect(try await ends(queue, of: QueueFixture.bundle) == "\(failure),\(failure)")
            #expect(try await ends(queue, of: Self.otherApp) == "done,done")
            #expect(try await queue.count("counterfoil.notifications where bundle_id = '\(Self.otherApp)'") == 1)
            let apps = asked.withLock { $0 }
            let first = try #require(apps.firstIndex(of: Self.otherApp))
            #expect(apps[first...].contains(QueueFixture.bundle))
            // Not before tomorrow: it would be as long again.
            let asks = apps.count
            try await catchUp(queue, verifier).run()
            #expect(asked.withLock { $0.count } == asks)
        }
    }

    /// A whole history that takes several turns is read to its end, once.
    @Test func aLongHistoryIsReadInTurns() async throws {
        try await QueueFixture.run { queue in
            try await addAnotherApp(queue)
            let texts = (0..<7).map { _ in QueueFixture.notificationText() }
            let verifier = ScriptedVerifier(pages: { app, position in
                let page = position.flatMap(Int.init) ?? 0
                guard app.rawValue == QueueFixture.bundle else { return NotificationPage(texts: [], position: nil) }
                return NotificationPage(texts: [texts[page]], position: page + 1 < texts.count ? "\(page + 1)" : nil)
            })

            try await NotificationCatchUp(pool: queue.pool, verifier: verifier, logger: .test, pagesATurn: 3).run()

            #expect(try await queue.count("counterfoil.notifications") == 7)
            #expect(try await ends(queue, of: QueueFixture.bundle) == "done,done")
            #expect(try await ends(queue, of: Self.otherApp) == "done,done")
        }
    }

    /// A text that no database keeps, one that is too long, and one that another session is storing: the others of the page are
    /// taken, and so is the other app's history.
    @Test func whatIsRefusedOfAPageIsOneNotificationsFault() async throws {
        try await QueueFixture.run { queue in
            try await addAnotherApp(queue)
            let (held, good) = (QueueFixture.notificationText(), QueueFixture.notificationText())
            let others = QueueFixture.notificationText(bundle: Self.otherApp)
            let page = [
                "eyJ\u{0}", held, QueueFixture.notificationText(signature: String(repeating: "c2ln", count: 70_000)), good,
            ]
            let verifier = ScriptedVerifier(pages: { app, _ in
                NotificationPage(texts: app.rawValue == QueueFixture.bundle ? page : [others], position: nil)
            })

            try await queue.admin.withTransaction { connection in
                _ = try await connection.execute(
                    PostgresStatement(name: "store", sql: "select counterfoil.receive_notification($1::text)"), [.text(held)])
                let began = ContinuousClock.now
                try await catchUp(queue, verifier).run()
                #expect(began.duration(to: .now) < .seconds(5))
            }

            #expect(try await ends(queue, of: QueueFixture.bundle) == "done,done")
            #expect(try await ends(queue, of: Self.otherApp) == "done,done")
            #expect(
                try await queue.text(
                    "select string_agg(source, ',' order by payload = '\(held)') from counterfoil.notifications where payload in ('\(good)', '\(held)')"
                )
                    == "history,push")
            #expect(try await queue.count("counterfoil.notifications where bundle_id = '\(Self.otherApp)'") == 1)
        }
    }

    /// What the server refuses for good, such as a lost privilege, is no outage: it is named, and other apps go on.
    @Test func aRefusalOfTheServersIsNamed() async throws {
        try await QueueFixture.run { queue in
            try await addAnotherApp(queue)
            try await queue.refuse(
                "42501", on: "counterfoil.notifications", when: "new.bundle_id = '\(QueueFixture.bundle)'")
            let verifier = ScriptedVerifier(pages: { app, _ in
                NotificationPage(texts: [QueueFixture.notificationText(bundle: app.rawValue)], position: nil)
            })

            try await catchUp(queue, verifier).run()

            #expect(try await ends(queue, of: QueueFixture.bundle)?.contains("the database refuses what the history has") == true)
            #expect(try await ends(queue, of: Self.otherApp) == "done,done")
        }
    }

    /// Another worker is at it.
    @Test func oneWorkerAtATimeIsAtIt() async throws {
        try await QueueFixture.run { queue in
            let verifier = ScriptedVerifier(history: [QueueFixture.notificationText()])
            try await catchUp(queue, verifier).run()
            try await queue.admin.execute(
                "update counterfoil.catch_ups set due_at = now(), held_until = now() + interval '5 minutes'")
            let asked = verifier.askedPeriods.count

            try await catchUp(queue, verifier).run()

            #expect(verifier.askedPeriods.count == asked)
        }
    }

    @Test func operatorsMakeCatchUpsDue() async throws {
        try await QueueFixture.run { queue in
            let verifier = ScriptedVerifier(history: [QueueFixture.notificationText()])
            try await catchUp(queue, verifier).run()
            let support = PostgresPool(
                configuration: try PostgresConfiguration(
                    url: queue.url.replacing("counterfoil_worker", with: "counterfoil_support")),
                size: 1, logger: .test)

            #expect(try await NotificationStore(pool: support).askForCatchUps(of: QueueFixture.bundle, all: true) == 2)
            await support.close()
            try await catchUp(queue, verifier).run()

            #expect(verifier.askedPeriods.suffix(2).allSatisfy { !$0.onlyFailures })
        }
    }
}
