// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import FoundationEssentials
import Logging

/// A worker in a process of its own, so that what it uses is measured apart. Started by the benchmark itself.
struct WorkerCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "worker", abstract: "Run one worker for the benchmark.", shouldDisplay: false)

    @Option(help: "A WorkerPlan as JSON.")
    var plan: String

    func run() async throws {
        let plan = try JSONDecoder().decode(WorkerPlan.self, from: Data(plan.utf8))
        let report = try await BenchWorker(plan: plan, logger: .bench).run()
        print(String(decoding: try JSONEncoder().encode(report), as: UTF8.self))
    }
}
