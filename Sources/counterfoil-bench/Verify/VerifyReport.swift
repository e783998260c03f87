// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials

/// All that a run found, beside what it ran on.
final class VerifyReport: Codable, Sendable {
    let machine: Machine
    /// Processes that ran or wanted to, over the minute before the run and before its end.
    let loadBefore: Double
    let loadAfter: Double
    let sections: [Section]

    init(loadBefore: Double, sections: [Section]) {
        machine = .current
        self.loadBefore = loadBefore
        loadAfter = Machine.load
        self.sections = sections
    }

    func json() throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
        encoder.nonConformingFloatEncodingStrategy = .convertToString(
            positiveInfinity: "infinity", negativeInfinity: "-infinity", nan: "none")
        return String(decoding: try encoder.encode(self), as: UTF8.self)
    }

    func table() -> String {
        let head = machine.lines + ["load        \(loadBefore) before, \(loadAfter) after (one minute)"]
        return (head + sections.flatMap { [""] + $0.lines }).joined(separator: "\n")
    }
}
