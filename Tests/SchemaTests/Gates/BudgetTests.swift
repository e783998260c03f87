// SPDX-License-Identifier: Apache-2.0

import Postgres
import Schema
import TestSupport
import Testing
import Verification
import VerificationQueue

@Suite struct BudgetTests {
    private static let budget = Budget(BundleID(rawValue: Shop.bundle), .getTransactionInfo, .production)

    private static func withStore(_ body: @Sendable (BudgetStore, Shop) async throws -> Void) async throws {
        try await Shop.open { shop in
            let url = shop.database.url(user: "counterfoil_worker")
            let pool = PostgresPool(configuration: try PostgresConfiguration(url: url), size: 4, logger: .test)
            do {
                try await body(BudgetStore(pool: pool), shop)
                await pool.close()
            } catch {
                await pool.close()
                throw error
            }
        }
    }

    @Test func everyAppHasTheBudgetsThatAppleGives() async throws {
        try await Shop.open { shop in
            let budgets = try await shop.rows(
                "select endpoint, environment, calls_per_second from counterfoil.budgets order by endpoint, environment")

            #expect(
                budgets == [
                    "(finish_transaction,production,50)", "(finish_transaction,sandbox,5)",
                    "(get_all_subscription_statuses,production,50)", "(get_all_subscription_statuses,sandbox,5)",
                    "(get_notification_history,production,50)", "(get_notification_history,sandbox,5)",
                    "(get_transaction_info,production,50)", "(get_transaction_info,sandbox,5)",
                    "(get_transaction_info_of_bare_id,production,10)", "(get_transaction_info_of_bare_id,sandbox,1)",
                    "(send_consumption_information,production,50)", "(send_consumption_information,sandbox,5)",
                ])
        }
    }

    @Test func runsFollowEachOtherAndNeverShareASlot() async throws {
        try await Self.withStore { store, _ in
            let start = ContinuousClock.now
            let first = try #require(try await store.take(10, of: Self.budget, within: .seconds(5)))
            let second = try #require(try await store.take(10, of: Self.budget, within: .seconds(5)))
            let elapsed = start.duration(to: .now)

            // A fortieth further apart than the budget allows.
            #expect(first.spacing > .milliseconds(20) && first.spacing < .milliseconds(21))
            #expect(first.firstCallIn < .milliseconds(1))
            // The time between the two answers is part of the offset.
            #expect(second.firstCallIn <= first.spacing * 10)
            #expect(second.firstCallIn >= first.spacing * 10 - elapsed)
        }
    }

    @Test func allWorkersTogetherTakeNoMoreThanTheBudget() async throws {
        try await Self.withStore { store, shop in
            let start = ContinuousClock.now
            let taken = try await withThrowingTaskGroup(of: Int.self) { group in
                for _ in 0..<4 {
                    group.addTask {
                        var taken = 0
                        while let run = try await store.take(5, of: Self.budget, within: .seconds(2)) { taken += run.count }
                        return taken
                    }
                }
                return try await group.reduce(0, +)
            }

            // Two seconds and a run ahead of now, at 48.75 a second.
            let ahead = start.duration(to: .now) + .seconds(2)
            #expect(taken >= 90 && Double(taken) <= 48.75 * (ahead / .seconds(1)) + 5)
            #expect(try await shop.count("counterfoil.budgets where next_call_at > now() + interval '1 second'") == 1)
        }
    }

    /// A server that took over, or whose clock was corrected.
    @Test func slotsThatAClockTookBeforeItWasPutBackAreOver() async throws {
        try await Self.withStore { store, shop in
            try await shop.run("update counterfoil.budgets set next_call_at = now() + interval '5 hours'")

            let run = try #require(try await store.take(10, of: Self.budget, within: .seconds(5)))

            #expect(run.firstCallIn < .milliseconds(1))
            #expect(try await shop.count("counterfoil.budgets where next_call_at < now() + interval '1 minute'") == 1)
        }
    }

    @Test func whatNobodyTookIsNotMadeUpFor() async throws {
        try await Self.withStore { store, shop in
            try await shop.run("update counterfoil.budgets set next_call_at = now() - interval '1 hour'")

            let run = try #require(try await store.take(10, of: Self.budget, within: .seconds(5)))
            let next = try await shop.value(
                "select next_call_at > now() from counterfoil.budgets where next_call_at > now() - interval '1 minute'")

            #expect(run.firstCallIn < .milliseconds(1))
            #expect(next == "true")
        }
    }

    @Test func workersCannotRaiseABudget() async throws {
        try await Shop.open { shop in
            let refusal = try await Refusal.of {
                _ = try await shop.worker.execute("update counterfoil.budgets set calls_per_second = 1000")
            }

            #expect(refusal == Refusal("42501"))
        }
    }
}
