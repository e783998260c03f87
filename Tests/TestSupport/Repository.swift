// SPDX-License-Identifier: Apache-2.0

package import FoundationEssentials

/// The checked-out repository that the tests were built from.
package enum Repository {
    /// The folder that holds `Package.swift`.
    package static let root: URL = {
        var folder = URL(filePath: #filePath).deletingLastPathComponent()
        while !FileManager.default.fileExists(atPath: folder.appending(path: "Package.swift").path) {
            precondition(folder.path != "/", "the tests were built outside of a checkout")
            folder.deleteLastPathComponent()
        }
        return folder
    }()

    /// The text of one of its files.
    package static func text(_ path: String) throws -> String {
        try String(contentsOf: root.appending(path: path), encoding: .utf8)
    }
}
