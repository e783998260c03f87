// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Postgres
import TestSupport
import Testing

@testable import VerificationQueue

/// Lives of subscriptions: in whatever order Apple, clients, strangers and an operator speak, the ledger ends the same, and as true
/// as their words are.
///
/// A failure prints the seed, the life, and the fewest words that still differ.
@Suite struct SubscriptionWorldTests {
    /// Names how many worlds to play, or which; the default takes half a minute.
    static let variable = "COUNTERFOIL_TEST_SUBSCRIPTION_WORLDS"
    private static let seeds = WorldDice.seeds(ProcessInfo.processInfo.environment[variable], otherwise: 60)
    private static let worlds = UInt64(seeds.count)

    /// Whether somebody asks for many worlds: then some are of the sandbox.
    private static let isThorough = ProcessInfo.processInfo.environment[variable] != nil

    /// Besides the order in which all was said.
    private static let shuffles = 2

    /// Worlds that are played at the same time, each in an app of its own.
    private static let sessions: UInt64 = 4

    @Test(.timeLimit(.minutes(60))) func everyOrderOfArrivalEndsTheSameAndTrue() async throws {
        try await QueueFixture.run { queue in
            let played = try await withThrowingTaskGroup(of: Tally.self) { group in
                for session in 0..<Self.sessions {
                    group.addTask { try await Self.play(session, queue) }
                }
                return try await group.reduce(into: Tally()) { $0.add($1) }
            }

            for failure in played.failures { Issue.record(Comment(rawValue: failure)) }
            #expect(try await queue.faults() == [])
            print("\(Self.worlds) worlds, \(played.words) words: \(played.seen.sorted { $0.key < $1.key })")
            // Without this the exceptions could be all there is.
            #expect(played.seen["compared whole", default: 0] * 3 > Int(Self.worlds))
            #expect(played.seen["moved"] != nil)
            for state in ["active", "expired", "revoked"] + (Self.worlds < 300 ? [] : ["grace", "billing_retry"]) {
                #expect(played.seen[state] != nil, "no subscription ends \(state)")
            }
        }
    }

    struct Tally: Sendable {
        var failures: [String] = []
        var words = 0
        var seen: [String: Int] = [:]

        mutating func add(_ other: Tally) {
            failures += other.failures
            words += other.words
            seen.merge(other.seen, uniquingKeysWith: +)
        }

        mutating func count(_ what: String) { seen[what, default: 0] += 1 }
    }

    /// Plays every world of a session, until three have failed.
    private static func play(_ session: UInt64, _ queue: QueueFixture) async throws -> Tally {
        try await PostgresConnection.withConnection(to: queue.adminURL) { reader in
            let player = try await SubscriptionWorldPlayer(queue, bundle: "com.example.life\(session)", reader: reader)
            var tally = Tally()
            for seed in seeds where seed % sessions == session && tally.failures.count < 3 {
                let world = SubscriptionWorld(seed: seed, playsSandbox: isThorough)
                if let failure = try await fail(world, player, &tally) { tally.failures.append(failure) }
            }
            return tally
        }
    }

    /// - Returns: what is wrong with a world, in lines; nil where nothing is.
    private static func fail(
        _ world: SubscriptionWorld, _ player: SubscriptionWorldPlayer, _ tally: inout Tally
    ) async throws -> String? {
        var dice = world.dice
        let count = world.words.count + world.acts.count
        let inTime = world.inTime
        let first = try await player.play(world, inTime)
        let exceptions = world.exceptions
        for exception in exceptions { tally.count(exception.rawValue) }
        if exceptions.isDisjoint(with: [.accounts, .ownOrders, .rejectedOrder]) { tally.count("compared whole") }
        if let status = first.end.status?.status { tally.count(status) }
        if first.acts.contains(where: { $0.kind == .move }) { tally.count("moved") }
        tally.words += count
        var faults = world.faults(first)
        if !faults.isEmpty { return describe(world, [inTime], faults) }
        for _ in 0..<shuffles {
            let arriving = inTime.shuffled(using: &dice)
            let played = try await player.play(world, arriving)
            tally.words += count
            faults = world.faults(played)
            if !faults.isEmpty { return describe(world, [arriving], faults) }
            let differences = world.differences(first.end, played.end)
            if !differences.isEmpty { return try await shrink(world, inTime, arriving, differences, player) }
        }
        return nil
    }

    /// The fewest words that end in two ways, one by one from the end.
    private static func shrink(
        _ world: SubscriptionWorld, _ inTime: [Int], _ arriving: [Int], _ differences: [String], _ player: SubscriptionWorldPlayer
    ) async throws -> String {
        var (one, other, found) = (inTime, arriving, differences)
        for place in inTime.reversed() {
            let (fewer, others) = (one.filter { $0 != place }, other.filter { $0 != place })
            let again = world.differences(try await player.play(world, fewer).end, try await player.play(world, others).end)
            if !again.isEmpty { (one, other, found) = (fewer, others, again) }
        }
        return describe(world, [one, other], found)
    }

    private static func describe(_ world: SubscriptionWorld, _ orders: [[Int]], _ faults: [String]) -> String {
        let told = orders.map { order in order.map { "  " + world.describe($0) }.joined(separator: "\n") }
        return "\(world)\n" + told.joined(separator: "\n  and\n") + "\n" + faults.joined(separator: "\n")
    }

    /// Of these one fails, whatever of the usual rules is left out. Some of the others want a thousand.
    private static let most = max(worlds, 240)

    @Test(.timeLimit(.minutes(60)), arguments: Omission.ofSubscriptions)
    func worldsMissWhatIsLeftOut(_ omission: Omission) async throws {
        try await omission.expectFailure(in: Self.sessions) { try await Self.firstFailure(in: $0, $1) }
    }

    /// The first world of a session that fails.
    private static func firstFailure(in session: UInt64, _ queue: QueueFixture) async throws -> UInt64? {
        try await PostgresConnection.withConnection(to: queue.adminURL) { reader in
            let player = try await SubscriptionWorldPlayer(queue, bundle: "com.example.life\(session)", reader: reader)
            for seed in stride(from: session + 1, through: most, by: Int(sessions)) where !Task.isCancelled {
                let world = SubscriptionWorld(seed: seed)
                var dice = world.dice
                let inTime = world.inTime
                do {
                    let first = try await player.play(world, inTime)
                    guard world.faults(first).isEmpty else { return seed }
                    let played = try await player.play(world, inTime.shuffled(using: &dice))
                    guard world.faults(played).isEmpty, world.differences(first.end, played.end).isEmpty else { return seed }
                } catch is SubscriptionWorldPlayer.Unsettled {
                    return seed
                }
            }
            return nil
        }
    }
}

extension SubscriptionWorld {
    /// Of a word, or of an act after the last word.
    func hour(of place: Int) -> Hour { place < words.count ? words[place].hour : acts[place - words.count].hour }

    /// All words and acts in the order of their hours.
    var inTime: [Int] {
        Array(0..<words.count + acts.count).sorted { (hour(of: $0), $0) < (hour(of: $1), $1) }
    }
}
