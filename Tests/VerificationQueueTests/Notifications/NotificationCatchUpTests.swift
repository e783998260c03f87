// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Postgres
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
