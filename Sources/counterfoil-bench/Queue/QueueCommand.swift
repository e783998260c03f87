// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import FoundationEssentials
import Logging

/// `counterfoil-bench queue`: what a worker does in a second, and what the same statements do without a worker.
struct QueueCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "queue",
        abstract: "Measures the worker beside the same statements driven by pgbench, on one private server.",
        discussion: """
            Every figure stands beside its floor or its target, measured in the same run. The server's data is on tmpfs \
            when there is room, so that the figures are those of the processor and not of a disk; --folder takes a disk \
            and measures its flush first. Nothing is left behind.
            """
    )

    @Option(help: "Jobs of each drain.")
    var jobs = 50_000

    @Option(help: "Length of each part that has a rate, in seconds.")
    var seconds = 10

    @Option(
        help: """
            Drains of the worker, each beside one of the floor; the middle ratio counts. Of the part path: rounds in turn, of \
            which the least counts. (default: 3; 5 of path)
            """)
    var rounds: Int?

    @Option(help: "Calls in flight, in the parts whose calls take 300 ms.")
    var concurrency = 1000

    @Option(help: "Ready jobs in the part that claims from a backlog.")
    var backlog = 1_000_000

    @Option(help: "Chooses the random ids of orders, where they are random.")
    var seed: UInt64 = 1

    @Flag(help: "Insist on tmpfs (/dev/shm).")
    var tmpfs = false

    @Option(help: "Keep the server's data in a temporary folder below this one.")
    var folder: String?

    @Option(name: .customLong("setting"), help: "A setting of the server, as name=value; may be repeated.")
    var settings: [String] = []

    @Option(name: .customLong("only"), help: "A part to run, in place of all; may be repeated.")
    var parts: [BenchPart] = []

    @Flag(help: "Add the part with real HTTPS calls.")
    var https = false

    @Flag(help: "In the part path, count what each statement does, and the rows and index entries of a job.")
    var byStatement = false

    @Option(
        name: .customLong("older-bench"),
        help: "In the part path, the program counterfoil-bench of an older commit, whose pickup is measured in turn.")
    var olderBench: String?

    @Flag(help: "Print the results as JSON.")
    var json = false

    func validate() throws {
        try NumberBounds.check([
            ("--jobs", jobs, 1_000...2_000_000), ("--seconds", seconds, 2...600), ("--rounds", rounds ?? 1, 1...20),
            ("--concurrency", concurrency, 8...10_000), ("--backlog", backlog, 10_000...10_000_000),
        ])
        guard folder == nil || !tmpfs else {
            throw ValidationError("--tmpfs and --folder exclude each other.")
        }
    }

    func run() async throws {
        var chosen = Set(parts.isEmpty ? BenchPart.allCases.filter { $0 != .https } : parts)
        if https {
            chosen.insert(.https)
        }
        let bench = QueueBench(
            plan: QueueBenchPlan(
                parts: chosen, jobs: jobs, seconds: seconds, rounds: rounds ?? 3, roundsInTurn: rounds ?? 5,
                takesStatementsApart: byStatement, olderBench: olderBench, concurrency: concurrency, backlog: backlog, seed: seed,
                 place: try DataPlace.choose(folder: folder, insistsOnMemory: tmpfs), settings: settings),
            printsJSON: json, logger: .bench)
        try await bench.runUntilSignalled()
    }
}

extension Logger {
    /// Warnings and worse, to standard error.
    static let bench: Logger = {
        var logger = Logger(label: "counterfoil-bench", factory: { StreamLogHandler.standardError(label: $0) })
        logger.logLevel = .warning
        return logger
    }()
}
