// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials

/// A fault that did come about, and from when on things could go on again.
struct InjectedFault: Sendable {
    /// How it is seen that all goes on.
    enum Recovery: Sendable {
        /// Anybody settles something.
        case settlement
        /// A receipt is verified, which Apple alone can do.
        case verdictOfApple
        /// There is nothing to recover from.
        case none
        /// This worker settles something.
        case settlementOf(worker: Int)
        /// The jobs that this process held run again.
        case leasesOf(process: Int32)
        /// The worker was gone that long after it was told to go.
        case ended(after: Duration)
    }

    let kind: FaultKind
    /// When its doing began.
    let begunAt: Date
    /// By the machine's clock, which is the database's.
    let healedAt: Date
    let recovery: Recovery
    /// What is to be told of it, if anything.
    var remark: String?
}
