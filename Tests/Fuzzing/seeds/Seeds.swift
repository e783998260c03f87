// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Fuzzing
import Specimens

/// Writes what the fuzzers start from into a folder: the root that they trust, and a folder of inputs for each.
@main
struct Seeds {
    static func main() throws {
        guard CommandLine.arguments.count == 2 else { throw SeedsError.usage }
        let folder = URL(filePath: CommandLine.arguments[1], directoryHint: .isDirectory)
        let source = try SpecimenSource()
        for reader in UntrustedReader.allCases {
            let inputs = folder.appending(path: reader.rawValue, directoryHint: .isDirectory)
            try FileManager.default.createDirectory(at: inputs, withIntermediateDirectories: true)
            for specimen in try source.specimens(for: reader) {
                try Data(specimen.bytes).write(to: inputs.appending(path: specimen.name))
            }
        }
        try Data(source.root).write(to: folder.appending(path: "root.der"))
    }
}

enum SeedsError: Error, CustomStringConvertible {
    case usage

    var description: String { "usage: fuzz-seeds FOLDER" }
}
