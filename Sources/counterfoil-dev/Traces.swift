// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Synchronization

/// The folders that a run made, and the last words about them.
final class Traces: Sendable {
    private let folders = Mutex<[String]>([])

    func note(_ folder: String) {
        folders.withLock { $0.append(folder) }
    }

    /// What became of everything, for a person who stopped it.
    var farewell: String {
        let made = folders.withLock { $0 }
        let left = made.filter { FileManager.default.fileExists(atPath: $0) }
        guard left.isEmpty else { return "Stopped, but not all could be removed: \(left.joined(separator: ", "))" }
        return made.isEmpty
            ? "Stopped before anything was started."
            : "Stopped: the workers, the simulator and the server have ended, and their files are removed."
    }
}
