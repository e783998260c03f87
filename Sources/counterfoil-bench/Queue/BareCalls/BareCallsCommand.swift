// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import FoundationEssentials

/// Bare calls in a process of their own, so that what they use is measured apart. Started by the benchmark itself.
struct BareCallsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "bare-calls", abstract: "Make calls with nothing around them.", shouldDisplay: false)

    @Option(help: "A BareCallsPlan as JSON.")
    var plan: String

    func run() async throws {
        let plan = try JSONDecoder().decode(BareCallsPlan.self, from: Data(plan.utf8))
        print(String(decoding: try JSONEncoder().encode(try await BareCalls(plan).run()), as: UTF8.self))
    }
}
