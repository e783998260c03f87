// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Fuzzing
import Specimens
import Testing
import Verification

/// Inputs that once did harm, or might have, and the rules that no reader may break on them. Each is a file in the
/// folder beside this one; what fuzzers find is added there.
@Suite
struct KnownInputTests {
    private static let corpus = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Corpus")

    private let source: SpecimenSource
    private let examination: Examination

    init() throws {
        source = try SpecimenSource()
        examination = Examination(trusting: try source.anchors)
    }

    @Test(arguments: UntrustedReader.allCases)
    func knownInputDoesNoHarm(reader: UntrustedReader) throws {
        let folder = Self.corpus.appending(path: reader.rawValue)
        let files = try FileManager.default.contentsOfDirectory(atPath: folder.path)

        #expect(!files.isEmpty)
        for file in files {
            let bytes = Array(try Data(contentsOf: folder.appending(path: file)))
            #expect(examination.violation(by: reader, on: bytes) == nil, "\(reader.rawValue)/\(file)")
        }
    }

    @Test(arguments: UntrustedReader.allCases)
    func specimenDoesNoHarm(reader: UntrustedReader) throws {
        for specimen in try source.specimens(for: reader) {
            #expect(examination.violation(by: reader, on: specimen.bytes) == nil, "\(specimen.name)")
        }
    }

    /// Every reader gets every other one's inputs, too.
    @Test(arguments: UntrustedReader.allCases)
    func inputOfAnotherReaderDoesNoHarm(reader: UntrustedReader) throws {
        for other in UntrustedReader.allCases where other != reader {
            for specimen in try source.specimens(for: other) {
                #expect(examination.violation(by: reader, on: specimen.bytes) == nil, "\(specimen.name)")
            }
        }
    }
}
