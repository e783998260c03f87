// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials

/// All that a run found, beside what it ran on.
protocol Report: Encodable {
    var machine: Machine { get }
    /// Processes that ran or wanted to, over the minute before the run and before its end.
    var loadBefore: Double { get }
    var loadAfter: Double { get }
    var sections: [Section] { get }

    /// What else it ran on, a line each.
    var surroundings: [String] { get }
}

extension Report {
    func json() throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
        encoder.nonConformingFloatEncodingStrategy = .convertToString(
            positiveInfinity: "infinity", negativeInfinity: "-infinity", nan: "none")
        return String(decoding: try encoder.encode(self), as: UTF8.self)
    }

    func table() -> String {
        let load = "load        \(loadBefore) before, \(loadAfter) after (one minute)"
        let head = machine.lines + [load] + surroundings
        return (head + sections.flatMap { [""] + $0.lines }).joined(separator: "\n")
    }
}
