// SPDX-License-Identifier: Apache-2.0

/// How an attempt in a process of its own ended.
package enum IsolatedAttempt: Sendable, Hashable {
    /// The process settled the job, or found its lease lost.
    case settled
    /// The process reported that it couldn't do its work (no database, for example); nothing is known about the job.
    case handedBack
    /// A signal, a fatal error or its deadline ended the process: this proof may be poison.
    case crashed(String)

    /// The word for it in metrics.
    var name: String {
        switch self {
        case .settled: "settled"
        case .handedBack: "handed_back"
        case .crashed: "crashed"
        }
    }
}
