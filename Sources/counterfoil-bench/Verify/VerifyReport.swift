// SPDX-License-Identifier: Apache-2.0

/// What verifying proofs costs.
final class VerifyReport: Report, Codable, Sendable {
    let machine: Machine
    let loadBefore: Double
    let loadAfter: Double
    let sections: [Section]

    init(loadBefore: Double, sections: [Section]) {
        machine = .current
        self.loadBefore = loadBefore
        loadAfter = Machine.load
        self.sections = sections
    }

    var surroundings: [String] { [] }
}
