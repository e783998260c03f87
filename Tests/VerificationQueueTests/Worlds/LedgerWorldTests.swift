// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Postgres
import Schema
import TestSupport
import Testing
import Verification

@testable import VerificationQueue

/// The promise, on random worlds against a database: nothing is granted twice, nothing that was paid is lost, and refunds mean the
/// same in whatever order they arrive.
///
/// A failure prints the seed, and the fewest of its moves that still fail.
@Suite struct LedgerWorldTests {
    /// Names the worlds to play, as ``SubscriptionWorldTests`` has it; the default takes some seconds.
    private static let variable = "COUNTERFOIL_TEST_WORLDS"

    private static let worlds = WorldDice.seeds(ProcessInfo.processInfo.environment[variable], otherwise: 100)
    private static let moves = 25

    /// Of these one fails, whatever rule is left out.
    private static let most: UInt64 = 400

    /// Worlds that are played at the same time, each in an app of its own.
    private static let sessions: UInt64 = 4

    @Test(.timeLimit(.minutes(10))) func everyMoveLeavesTheLedgerTrue() async throws {
        try await QueueFixture.run { queue in
            let played = try await withThrowingTaskGroup(of: Played.self) { group in
                for session in 0..<Self.sessions {
                    group.addTask { try await Self.play(session, of: Self.worlds, queue) }
                }
                return try await group.reduce(into: Played()) { $0.add($1) }
            }

            for failure in played.failures { Issue.record(Comment(rawValue: failure)) }
            for check in SQLFile.checks {
                let rows = try await queue.admin.execute(check.statement)
                let described = rows.prefix(5).map { row in
                    (0..<row.columnCount).map { row.textDescription($0) ?? "-" }.joined(separator: " ")
                }
                #expect(rows.isEmpty, "\(check.name): \(described)")
            }
            // Without this the other statements could be true of worlds in which nothing happens.
            #expect(
                Set(played.events.keys).isSuperset(of: [
                    "fulfilled", "refunded refunded", "review owner_mismatch", "review partly_refunded",
                    "review bought_again_after_revocation", "rejected already_granted", "rejected already_owned",
                    "rejected granted_to_another_account", "granted consumable", "granted non_consumable", "granted non_renewing",
                    "granted auto_renewable", "assign", "refund", "reverse", "import imported", "import another_order_was_granted", "ordered again",
                    "move", "transfer", "refused transferred_orders_are_paid", "forget",
                ]), "seen: \(played.events)")
        }
    }

    @Test(.timeLimit(.minutes(10))) func wordsInAnotherOrderOfArrivalEndTheSame() async throws {
        try await QueueFixture.run { queue in
            try await PostgresConnection.withConnection(to: queue.adminURL) { reader in
                let bundle = "com.example.world"
                let player = try await LedgerWorldPlayer(queue, bundle: bundle, reader: reader)
                var ends: Set<Substring> = []
                for seed in Self.worlds.lowerBound...Self.worlds.lowerBound + UInt64(Self.worlds.count / 2) {
                    var ended: [[String: String]] = []
                    var told: [[String]] = []
                    for playing in 1...2 {
                        var world = LedgerWorld(seed: seed, playing: playing, bundle: bundle)
                        let (moves, sayings) = world.makeSayings()
                        let faults = try await player.play(world, moves, ordersAgain: false)
                        #expect(faults.isEmpty, "seed \(seed): \(faults)")
                        let arriving = playing == 1 ? sayings : sayings.shuffled(using: &world.dice)
                        try await player.record(arriving)
                        ended.append(try await player.ends(of: world))
                        told.append(arriving.map(\.description))
                    }
                    ends.formUnion(ended[0].values.compactMap { $0.split(separator: " ").first })
                    let differing = ended[0].filter { ended[1][$0.key] != $0.value }.keys
                    let shown = differing.sorted().map { "\($0): \(ended[0][$0] ?? "-") and \(ended[1][$0] ?? "-")" }
                    if ended[0] != ended[1] {
                        Issue.record("seed \(seed): \(shown)\n\(told[0].joined(separator: "\n"))\nand\n\(told[1].joined(separator: "\n"))")
                    }
                    #expect(ended[0]["faults"] == nil && ended[1]["faults"] == nil, "seed \(seed): \(ended[0]["faults"] ?? "") \(ended[1]["faults"] ?? "")")
                }
                #expect(ends.isSuperset(of: ["granted", "refunded", "restored", "taken_back", "unclaimed"]), "\(ends)")
            }
        }
    }

    @Test(
        .timeLimit(.minutes(10)),
        arguments: [
            Omission(
                routine: "payment_facts", text: "case when r.is_whole then r.as_of end as refunded_as_of",
                replacement: "null::timestamptz as refunded_as_of", testDescription: "refunds"),
            Omission(
                routine: "payment_facts", text: "<> b.account_id\n", replacement: "<> b.account_id and false\n",
                testDescription: "owners"),
            Omission(
                routine: "names_of_payment", text: "where p.payment_key = of_key", replacement: "where false and p.payment_key = of_key",
                testDescription: "names by key"),
            Omission(
                routine: "account_now", text: "select coalesce((select m.account_now from", replacement: "select coalesce((select null from",
                testDescription: "moves"),
            Omission(
                routine: "account_of_transfer", text: "if not found or", replacement: "if true or", testDescription: "transfers"),
        ])
    func worldsMissWhatIsLeftOut(_ omission: Omission) async throws {
        try await omission.expectFailure(in: Self.sessions) { try await Self.firstFailure(in: $0, $1) }
    }

    /// The first world of a session that fails.
    private static func firstFailure(in session: UInt64, _ queue: QueueFixture) async throws -> UInt64? {
        try await PostgresConnection.withConnection(to: queue.adminURL) { reader in
            let bundle = "com.example.world\(session)"
            let player = try await LedgerWorldPlayer(queue, bundle: bundle, reader: reader)
            for seed in stride(from: session + 1, through: most, by: Int(sessions)) where !Task.isCancelled {
                var world = LedgerWorld(seed: seed, playing: 1, bundle: bundle)
                let moves = world.makeMoves(Self.moves)
                if try await !player.play(world, moves).isEmpty { return seed }
            }
            return nil
        }
    }

    private struct Played: Sendable {
        var failures: [String] = []
        var events: [String: Int] = [:]

        mutating func add(_ other: Played) {
            failures += other.failures
            events.merge(other.events, uniquingKeysWith: +)
        }
    }

    /// Plays every world of a session, until three have failed.
    private static func play(_ session: UInt64, of worlds: ClosedRange<UInt64>, _ queue: QueueFixture) async throws -> Played {
        try await PostgresConnection.withConnection(to: queue.adminURL) { reader in
            let bundle = "com.example.world\(session)"
            let player = try await LedgerWorldPlayer(queue, bundle: bundle, reader: reader)
            var failures: [String] = []
            for seed in worlds where seed % sessions == (session + 1) % sessions && failures.count < 3 {
                if let failure = try await fail(seed, bundle, player) { failures.append(failure) }
            }
            return Played(failures: failures, events: player.events)
        }
    }

    private static func fail(_ seed: UInt64, _ bundle: String, _ player: LedgerWorldPlayer) async throws -> String? {
        var playing = 0
        func attempt(_ isKept: [Bool]) async throws -> (faults: [String], moves: [LedgerWorld.Move]) {
            playing += 1
            var world = LedgerWorld(seed: seed, playing: playing, bundle: bundle)
            let moves = zip(world.makeMoves(isKept.count), isKept).filter(\.1).map(\.0)
            return (try await player.play(world, moves), moves)
        }

        var isKept = Array(repeating: true, count: moves)
        var failed = try await attempt(isKept)
        guard !failed.faults.isEmpty else { return nil }
        // The fewest moves, one by one from the end.
        for index in isKept.indices.reversed() {
            isKept[index] = false
            let again = try await attempt(isKept)
            if again.faults.isEmpty { isKept[index] = true } else { failed = again }
        }
        let moves = failed.moves.enumerated().map { "\($0.offset + 1). \($0.element)" }
        return "seed \(seed):\n\(failed.faults.joined(separator: "\n"))\n\(moves.joined(separator: "\n"))"
    }
}
