// SPDX-License-Identifier: Apache-2.0

import Verification

/// Jobs of one kind, as counted.
struct QueueCount: Sendable, Hashable {
    struct Kind: Sendable, Hashable {
        let state: String
        let reason: String
    }

    let kind: Kind
    /// Not beyond ``QueueReader/countLimit`` a state and gate.
    let jobs: Int
}

/// The queue at one moment, as every worker sees it.
struct QueueReading: Sendable, Hashable {
    var counts: [QueueCount] = []

    /// Seconds that the longest-waiting due job has waited, behind open gates and behind closed ones.
    var oldestAvailable = 0.0
    var oldestParked = 0.0

    /// Bytes on the disk of the tables that hold proofs.
    var bytesOfJobs = 0.0
    var bytesOfKeptProofs = 0.0

    /// Seconds, of the most loaded app's budget.
    var callsReservedAhead: [Budget.Endpoint: [AppStoreEnvironment: Double]] = [:]
}
