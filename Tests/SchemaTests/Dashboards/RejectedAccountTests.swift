// SPDX-License-Identifier: Apache-2.0

import Postgres
import Synchronization
import TestSupport
import Testing

/// Whether more accounts than before have their proofs rejected: somebody hears of a broken client, and not of one attacker.
@Suite struct RejectedAccountTests {
    /// So many accounts that had a proof rejected at a time, each so often.
    struct Rejected: Sendable {
        let accounts: Int
        let minutesAgo: Int
        var reason = "malformed_proof"
        var attempts = 1
    }

    /// Whether the hour and the day rise, with the reason; and the level of `health`.
    private func findings(_ rejected: [Rejected], grants: [(minutesAgo: Int, count: Int)] = []) async throws -> [String] {
        let found = Mutex<[String]>([])
        try await Shop.open { shop in
            for (number, row) in rejected.enumerated() {
                try await shop.run(
                    """
                    insert into counterfoil.suspicion_minutes (minute, bundle_id, account_id, reason, attempts)
                    select date_trunc('minute', now()) - interval '\(row.minutesAgo) minutes', '\(Shop.bundle)', \(number) || '.' || i,
                        '\(row.reason)', \(row.attempts)
                    from generate_series(1, \(row.accounts)) as i
                    """)
            }
            for grant in grants {
                for (table, column, unit) in [("attempt_minutes", "minute", "minute"), ("attempt_hours", "hour", "hour")] {
                    try await shop.run(
                        """
                        insert into counterfoil.\(table) (\(column), bundle_id, outcome, reason, proof_kind, environment, attempts)
                        select date_trunc('\(unit)', now() - interval '\(grant.minutesAgo) minutes'), '\(Shop.bundle)', 'fulfilled', '',
                            'app_receipt', 'production', \(grant.count)
                        """)
                }
            }
            let rows = try await shop.read(
                """
                select r.reason, r.rises_by_hour, r.rises_by_day, h.level
                from counterfoil.rejected_accounts r
                left join counterfoil.health h on h.subject = format('rejections of %s as %s', r.bundle_id, r.reason)
                order by 1
                """)
            found.withLock { $0 = rows }
        }
        return found.withLock { $0 }
    }

    @Test func twelveAccountsRiseWhereThereWereNone() async throws {
        #expect(try await findings([Rejected(accounts: 12, minutesAgo: 10)]) == ["(malformed_proof,t,t,critical)"])
        #expect(try await findings([Rejected(accounts: 11, minutesAgo: 10)]) == ["(malformed_proof,f,f,)"])
    }

    @Test func oneAccountThatUploadsJunkDoesNotRise() async throws {
        let junk = (0..<60).map { Rejected(accounts: 1, minutesAgo: $0, attempts: 500) }

        try await Shop.open { shop in
            for row in junk {
                try await shop.run(
                    """
                    insert into counterfoil.suspicion_minutes (minute, bundle_id, account_id, reason, attempts)
                    values (date_trunc('minute', now()) - interval '\(row.minutesAgo) minutes', '\(Shop.bundle)', 'mallory',
                        'malformed_proof', 500)
                    """)
            }

            #expect(
                try await shop.read("select last_hour, rises_by_hour, rises_by_day from counterfoil.rejected_accounts")
                    == ["(1,f,f)"])
            #expect(
                try await shop.read("select level from counterfoil.health where subject = 'rejections'") == ["(ok)"])
        }
    }

    @Test func aDayRisesWhereAnHourHasTooFew() async throws {
        let rejected = (1...12).map { Rejected(accounts: 1, minutesAgo: $0 * 115) }

        #expect(try await findings(rejected) == ["(malformed_proof,f,t,critical)"])
    }

    @Test func asManyAsBeforeAreNoRise() async throws {
        let rejected = [10, 70, 1450].map { Rejected(accounts: 30, minutesAgo: $0) }

        #expect(try await findings(rejected) == ["(malformed_proof,f,f,)"])
    }

    /// In the hour after a campaign began, the shop sells ten times as much.
    @Test func growthOfGrantsExplainsGrowthOfRejections() async throws {
        let rejected = [Rejected(accounts: 60, minutesAgo: 10), Rejected(accounts: 10, minutesAgo: 70)]

        #expect(try await findings(rejected, grants: [(70, 100), (10, 1000)]).first?.contains("(malformed_proof,f,") == true)
        #expect(try await findings(rejected, grants: [(70, 100), (10, 100)]).first?.contains("(malformed_proof,t,") == true)
    }

    @Test func theLedgersReasonsAreAWarning() async throws {
        #expect(
            try await findings([
                Rejected(accounts: 20, minutesAgo: 5, reason: "already_granted"),
                Rejected(accounts: 20, minutesAgo: 5, reason: "owner_mismatch"),
            ]) == ["(already_granted,t,t,warning)", "(owner_mismatch,t,t,critical)"])
    }

    @Test func healthNamesTheCommandThatJudgesKeptProofsAnew() async throws {
        try await Shop.open { shop in
            for number in 1...12 {
                try await shop.order("o\(number)", account: "account \(number)")
                try await shop.attempt(
                    "o\(number)", job: number, reason: "malformed_proof", finished: "date_trunc('minute', now()) - interval '5 minutes'")
            }
            let past = Shop.pastMinute()
            try await shop.mark(final: past, counted: past)
            try await shop.rollUp()

            let mend = try await shop.read(
                "select level, finding, mend from counterfoil.health where subject = 'rejections of \(Shop.bundle) as malformed_proof'"
            ).joined()

            #expect(mend.contains("critical"))
            #expect(mend.contains("12 accounts in the last hour, 0 in the hour before"))
            #expect(mend.contains("counterfoil jobs retry --reason malformed_proof --bundle \(Shop.bundle)"))
        }
    }

    /// While every proof of a large shop is rejected, no more than 500 accounts of an app and minute are read.
    @Test func theCostIsBounded() async throws {
        let rejected = [Rejected(accounts: 3000, minutesAgo: 10), Rejected(accounts: 2500, minutesAgo: 70)]

        #expect(try await findings(rejected) == ["(malformed_proof,f,f,)"])
        try await Shop.open { shop in
            try await shop.run(
                """
                insert into counterfoil.suspicion_minutes (minute, bundle_id, account_id, reason, attempts)
                select date_trunc('minute', now()) - interval '10 minutes', '\(Shop.bundle)', i::text, 'malformed_proof', 1
                from generate_series(1, 6000) as i
                """)

            #expect(
                try await shop.read("select last_hour, rises_by_hour, last_day from counterfoil.rejected_accounts") == ["(500,t,)"])
        }
    }
}
