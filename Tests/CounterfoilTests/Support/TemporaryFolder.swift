// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials

/// A folder that is there for a test's time.
struct TemporaryFolder: Sendable {
    let path: String

    static func with<Success>(_ body: (TemporaryFolder) async throws -> Success) async throws -> Success {
        let folder = TemporaryFolder(
            path: FileManager.default.temporaryDirectory.appendingPathComponent("counterfoil-\(UUID())").path)
        try FileManager.default.createDirectory(atPath: folder.path, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder.path) }
        return try await body(folder)
    }

    /// Writes a file and returns its path.
    func write(_ bytes: some Sequence<UInt8>, to name: String) throws -> String {
        let file = path + "/" + name
        try Data(bytes).write(to: URL(fileURLWithPath: file))
        return file
    }
}
