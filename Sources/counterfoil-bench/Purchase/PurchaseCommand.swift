// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Logging
import ServiceLifecycle

/// A part of the benchmark of a purchase.
enum PurchasePart: String, CaseIterable, Sendable, ExpressibleByArgument {
    /// One poll, by the ways in which drivers and poolers send it.
    case polls
    /// Order, proof, settlement and two polls, each apart.
    case parts
    /// All of it together, one purchase after the other.
    case single
    /// All of it together, as fast as it goes.
    case load
}

/// What to measure, and on what.
struct PurchaseBenchPlan: Sendable {
    let parts: Set<PurchasePart>
    let purchases: Int
    let polls: Int
    let seconds: Int
    let rounds: Int
    let connections: Int
    let place: DataPlace
    let settings: [String]
}

/// `counterfoil-bench purchase`: what one purchase costs the server, from its order to the second poll.
struct PurchaseCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "purchase",
        abstract: "Measures what a purchase costs the server: order and proof, settlement, two polls.",
        discussion: """
            Processor time and log of the server alone, beside those of a bare committed insert in the same run. The proofs are \
            signed transactions, as the App Store signs them, and a worker verifies them. Polls are measured by the ways in which \
            drivers and poolers send them, beside a prepared statement. Nothing is left behind.
            """
    )

    @Option(help: "Purchases of each part and round.")
    var purchases = 4_000

    @Option(help: "Polls of each way and round; of a dear way a tenth.")
    var polls = 10_000

    @Option(help: "Length of the part with one purchase after the other, in seconds.")
    var seconds = 20

    @Option(help: "How often each part is measured; the middle counts.")
    var rounds = 3

    @Option(help: "Connections of the backend under load.")
    var connections = 8

    @Flag(help: "Insist on tmpfs (/dev/shm).")
    var tmpfs = false

    @Option(help: "Keep the server's data in a temporary folder below this one.")
    var folder: String?

    @Option(name: .customLong("setting"), help: "A setting of the server, as name=value; may be repeated.")
    var settings: [String] = []

    @Option(name: .customLong("only"), help: "A part to run, in place of all; may be repeated.")
    var parts: [PurchasePart] = []

    @Flag(help: "Print the results as JSON.")
    var json = false

    func validate() throws {
        try NumberBounds.check([
            ("--purchases", purchases, 200...200_000), ("--polls", polls, 500...1_000_000), ("--seconds", seconds, 2...600),
            ("--rounds", rounds, 1...20), ("--connections", connections, 1...50),
        ])
        guard folder == nil || !tmpfs else {
            throw ValidationError("--tmpfs and --folder exclude each other.")
        }
    }

    func run() async throws {
        let plan = PurchaseBenchPlan(
            parts: Set(parts.isEmpty ? PurchasePart.allCases : parts), purchases: purchases, polls: polls, seconds: seconds,
            rounds: rounds, connections: connections, place: try DataPlace.choose(folder: folder, insistsOnMemory: tmpfs),
            settings: settings)
        try await PurchaseBench(plan: plan, printsJSON: json, logger: .bench).runUntilSignalled()
    }
}

/// Runs the parts one after the other on one server and prints what they found.
struct PurchaseBench: Service {
    let plan: PurchaseBenchPlan
    let printsJSON: Bool
    let logger: Logger

    func run() async throws {
        let report = try await measure()
        print(printsJSON ? try report.json() : report.table())
    }

    func measure() async throws -> BenchReport {
        try await BenchDatabase.withDatabase(in: plan.place, settings: plan.settings, logger: logger) { database in
            let load = Machine.load
            var sections: [Section] = []
            if plan.parts.contains(.polls) { sections.append(try await PollCosts(plan: plan, database: database).measure()) }
            if !plan.parts.isDisjoint(with: [.parts, .single, .load]) {
                sections.append(try await PurchaseCosts(plan: plan, database: database).measure())
            }
            try await database.checkInvariants()
            return try await BenchReport(
                settings: plan.settings, place: plan.place, seed: 0, database, loadBefore: load, sections)
        }
    }
}
