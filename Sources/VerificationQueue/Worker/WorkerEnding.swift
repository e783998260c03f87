// SPDX-License-Identifier: Apache-2.0

/// Why a worker can't go on, though nobody asked it to stop.
package enum WorkerEnding: Error, Hashable, Sendable, CustomStringConvertible {
    /// The database was dropped and made anew while the worker was running, and another worker has its id since.
    case idOfAnother(WorkerID)

    package var description: String {
        switch self {
        case .idOfAnother(let id):
            "another worker has the id \(id.rawValue) since the database was made anew: start this one again"
        }
    }
}
