// SPDX-License-Identifier: Apache-2.0

import Delivering
import VerificationQueue

/// A worker or a deliverer at one moment.
struct ProgramState: Sendable {
    /// It makes progress, or waits for a database that is away.
    let isAlive: Bool
    /// It is at work, and the database answers it.
    let isReady: Bool
    /// It starts, which waits for the database, or stops, which waits for what runs. Its own rules limit both.
    let isBetweenStates: Bool
    /// One line for an operator.
    let summary: String
}

extension ProgramState {
    init(_ snapshot: WorkerSnapshot) {
        self.init(
            isAlive: snapshot.health.isAlive, isReady: snapshot.isReady,
            isBetweenStates: snapshot.progress.phase != .working || snapshot.progress.lastClaim == nil, summary: snapshot.summary)
    }

    init(_ snapshot: DelivererSnapshot) {
        self.init(
            isAlive: snapshot.isAlive, isReady: snapshot.isReady, isBetweenStates: snapshot.isBetweenStates,
            summary: snapshot.summary)
    }
}
