// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import FoundationEssentials
import Logging

/// `counterfoil-bench views`: how long administrators' views take over a large past, and what they cost the workers.
struct ViewsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "views",
        abstract: "Measures the views for administrators over millions of orders, and their cost to workers at full rate.",
        discussion: """
            Fills a private server with a past of that size, reads every view as counterfoil_reader, runs every check, then \
            drains a queue in pairs, with each view read once in 30 s and without. Looks for room on the disk first: about \
            3 kB an order with five attempts. Nothing is left behind.
            """
    )

    @Option(help: "Orders of the past.")
    var orders = 1_000_000

    @Option(help: "Attempts of each order.")
    var attempts = 5

    @Option(help: "Jobs of each drain; it should take longer than 30 s.")
    var jobs = 250_000

    @Option(help: "Pairs of drains.")
    var pairs = 3

    @Option(help: "Keep the server's data in a temporary folder below this one.")
    var folder = "/tmp"

    @Option(name: .customLong("setting"), help: "A setting of the server, as name=value; may be repeated.")
    var settings: [String] = []

    @Flag(help: "Print the results as JSON.")
    var json = false

    func validate() throws {
        try NumberBounds.check([
            ("--orders", orders, 1_000...50_000_000), ("--attempts", attempts, 1...20), ("--jobs", jobs, 1_000...2_000_000),
            ("--pairs", pairs, 0...20),
        ])
    }

    func run() async throws {
        let place = try DataPlace.choose(folder: folder, insistsOnMemory: false)
        let needed = UInt64(orders) * UInt64(1_500 + 300 * attempts) + 4 << 30
        guard place.freeBytes >= needed else {
            throw ValidationError("\(folder) has \(place.freeBytes >> 30) GiB of room; this needs \(needed >> 30) GiB.")
        }
        let bench = ViewsBench(
            past: Past(orders: Int64(orders), attempts: Int32(attempts)), jobs: jobs, pairs: pairs, place: place,
            settings: settings, printsJSON: json, logger: .bench)
        try await bench.runUntilSignalled()
    }
}
