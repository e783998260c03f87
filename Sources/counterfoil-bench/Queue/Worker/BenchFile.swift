// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials

/// Small files for other programs to read, in the folder for temporary ones.
enum BenchFile {
    static func temporary(_ name: String, contents: String) throws -> String {
        let path = FileManager.default.temporaryDirectory.path + "/\(UUID().uuidString)-\(name)"
        try Data(contents.utf8).write(to: URL(fileURLWithPath: path))
        return path
    }

    /// A folder of its own, for this user only.
    static func folder() throws -> String {
        let path = FileManager.default.temporaryDirectory.path + "/\(UUID().uuidString)-counterfoil-bench"
        try FileManager.default.createDirectory(
            atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        return path
    }

    static func write(_ contents: String, to path: String) throws {
        try Data(contents.utf8).write(to: URL(fileURLWithPath: path))
    }

    static func remove(_ path: String) {
        try? FileManager.default.removeItem(atPath: path)
    }
}
