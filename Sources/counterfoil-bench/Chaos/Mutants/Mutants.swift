// SPDX-License-Identifier: Apache-2.0

import Schema

/// Each guard taken away, and the scenario that shows why it is there.
enum Mutants {
    static let all = [
        noFence, noFenceOfFirstGrants, uncountedFirstGrants, untoldFirstGrants, untoldGrants, untoldMoves,
        untoldRefunds, noUniqueKeys, splitSettlement, noRescue, attemptNotCharged,
        rescueNotCounted, noBreaker, cancelledCommit, splitDelivery,
    ]

    private static let noFence = Mutant(
        name: "no-fence", guardSummary: "a settlement shows its lease token", scenario: "late-settlement",
        // A late settlement was carried out: its claim has two endings.
        complaint: .check("claims_without_one_ending"),
        edits: [SQLFile.lockSettlingJobs, .settleStayingJobs].flatMap { file in
            [
                Mutant.Edit(file: file, part: "and j.lease_token = s.lease_token", replacement: ""),
                Mutant.Edit(file: file, part: "and j.lease_expires_at is not null", replacement: ""),
            ]
        })

    private static let noFenceOfFirstGrants = Mutant(
        name: "no-fence-of-first-grants", guardSummary: "the short path shows its lease token", scenario: "late-settlement",
        complaint: .check("claims_without_one_ending"),
        edits: [
            .init(
                file: .grantFirstPayments, part: "and j.lease_token = e.lease_token and j.lease_expires_at is not null",
                replacement: "")
        ])

    private static let uncountedFirstGrants = Mutant(
        name: "uncounted-first-grants", guardSummary: "the short path grants no more than it ends jobs and pays orders",
        scenario: "late-settlement", complaint: .check("claims_without_one_ending"),
        edits: [.init(file: .grantFirstPayments, part: "or counterfoil.refuse_moved_grants()", replacement: "or true")])

    private static let untoldFirstGrants = untold(
        "untold-first-grants", "the short path tells the feed of its grants", by: .grantFirstPayments)

    private static let untoldGrants = untold(
        "untold-grants", "the careful path tells the feed of its grants", by: .insertGrants)

    /// The versions of the orders rise all the same, so that no trigger tells in its place.
    private static func untold(_ name: String, _ guardSummary: String, by file: SQLFile) -> Mutant {
        Mutant(
            name: name, guardSummary: guardSummary, scenario: "kill-random", complaint: .check("orders_untold"),
            edits: [.init(file: file, part: "group by p.part", replacement: "where false group by p.part")])
    }

    private static let untoldMoves = Mutant(
        name: "untold-moves", guardSummary: "the feed is told of orders that move without a grant", scenario: "kill-random",
        complaint: .check("orders_untold"), changes: [ChaosSQL.dropTellingOfMoves])

    private static let untoldRefunds = Mutant(
        name: "untold-refunds", guardSummary: "the feed is told of refunds that leave their order fulfilled",
        scenario: "notifications-and-kills", complaint: .check("refunds_untold"), changes: [ChaosSQL.dropTellingOfRefunds])

    private static let noUniqueKeys = Mutant(
        name: "no-unique-keys", guardSummary: "a payment and an order have one grant, by unique keys",
        scenario: "same-proof", complaint: .grantedTwice,
        // The lock on payments hides their absence: it is a second guard of the same.
        replacements: [SQLFile.lockPayments.name: ChaosSQL.returnNothing],
        changes: [ChaosSQL.dropGrantKeys, ChaosSQL.dropTransactionKey])

    private static let splitSettlement = Mutant(
        name: "split-settlement", guardSummary: "a settlement is one database transaction", scenario: "kill-at-points",
        // A grant without its follow-up.
        complaint: .check("granted_transactions_are_finished_and_no_others"), replacements: ["begin": ChaosSQL.doNothing])

    private static let splitDelivery = Mutant(
        name: "split-delivery", guardSummary: "a page's goods and its cursor are one database transaction",
        scenario: "deliveries-and-kills",
        // A change that was called for twice, or never.
        complaint: .check(ShopSQL.judgeName), deliverersReplacements: ["begin": ChaosSQL.doNothing])

    private static let noRescue = Mutant(
        name: "no-rescue", guardSummary: "leases that ran out are rescued", scenario: "kill-random", complaint: .lost,
        edits: [.init(file: .rescueExpiredJobs, part: "j.lease_expires_at <= now()", replacement: "false")])

    private static let attemptNotCharged = Mutant(
        name: "attempt-not-charged", guardSummary: "an attempt is charged when it is claimed", scenario: "kill-random",
        complaint: .check("attempts_counted_wrongly"),
        edits: [.init(file: .claimJobs, part: "attempt = j.attempt + 1,", replacement: "")])

    private static let rescueNotCounted = Mutant(
        name: "rescue-not-counted", guardSummary: "a job that was rescued twice is attempted alone", scenario: "poison",
        complaint: .neverAtRest,
        edits: [.init(file: .rescueExpiredJobs, part: "rescues = least(j.rescues + 1, 32767),\n", replacement: "")])

    private static let noBreaker = Mutant(
        name: "no-breaker", guardSummary: "a gate closes while Apple fails", scenario: "apple-outage",
        complaint: .check("attempts_charged_in_an_outage"),
        replacements: [SQLFile.closeGate.name: ChaosSQL.returnNothing])

    private static let cancelledCommit = Mutant(
        name: "cancelled-commit", guardSummary: "a commit that waits for its standby is never cancelled", scenario: "standby-away",
        // Others see what no standby has.
        complaint: .check("faults"), cancelsWaitingCommits: true)
}
