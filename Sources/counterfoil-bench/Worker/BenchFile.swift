// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials

/// Small files for other programs to read, in the folder for temporary ones.
enum BenchFile {
    static func temporary(_ name: String, contents: String) throws -> String {
        let path = FileManager.default.temporaryDirectory.path + "/\(UUID().uuidString)-\(name)"
        try Data(contents.utf8).write(to: URL(fileURLWithPath: path))
        return path
    }

    static func remove(_ path: String) {
        try? FileManager.default.removeItem(atPath: path)
    }
}
