// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Fuzzing
import Specimens
import Testing
import Verification

/// Inputs of every form, changed at random behind their encodings: nothing crashes, nothing takes long, and nothing that
/// wasn't signed is believed.
@Suite
struct GeneratedInputTests {
    private static let rounds = 1500

    @Test(arguments: UntrustedReader.allCases, [1, 2] as [UInt64])
    func changedInputDoesNoHarm(reader: UntrustedReader, seed: UInt64) throws {
        let source = try SpecimenSource()
        let examination = Examination(trusting: try source.anchors)
        let specimens = try source.specimens(for: reader)
        var damage = Mutator(seed: seed + 100)
        var mutation = StructuredMutation(using: Mutator(seed: seed)) { damage.damaged($0) }

        for _ in 0..<Self.rounds {
            guard var bytes = specimens.randomElement(using: &mutation.generator)?.bytes else { continue }
            for _ in 0..<Int.random(in: 1...3, using: &mutation.generator) {
                bytes = mutation.changed(bytes, for: reader)
            }
            let violation = examination.violation(by: reader, on: bytes)
            #expect(violation == nil, "\(Data(bytes).base64EncodedString())")
        }
    }
}
