// SPDX-License-Identifier: Apache-2.0

import Synchronization
import Verification

/// What a worker has in hand: jobs that are executed, by lane, and bytes of proofs until they are settled.
final class InFlight: Sendable {
    private struct Counts {
        var running: [LaneID: Int] = [:]
        var total = 0
        var isolated = 0
        var proofBytes = 0
    }

    private let counts = Mutex(Counts())

    /// By lane: only those in which some run.
    var running: (total: Int, byLane: [LaneID: Int]) {
        counts.withLock { ($0.total, $0.running) }
    }

    var proofBytes: Int {
        counts.withLock { $0.proofBytes }
    }

    /// Returns the bytes of the jobs' proofs.
    func start(_ jobs: [Job]) -> Int {
        counts.withLock { counts in
            counts.total += jobs.count
            var bytes = 0
            for job in jobs {
                counts.running[job.lane, default: 0] += 1
                bytes += job.proof.utf8.count
            }
            counts.proofBytes += bytes
            return bytes
        }
    }

    /// The attempt is over; its proof stays until it is settled.
    func finish(_ job: Job) {
        counts.withLock { counts in
            let left = counts.running[job.lane, default: 0] - 1
            counts.running[job.lane] = left == 0 ? nil : left
            counts.total -= 1
        }
    }

    func settle(_ job: Job) {
        counts.withLock { $0.proofBytes -= job.proof.utf8.count }
    }

    /// Takes one of `limit` places for attempts in a process of their own.
    func takeIsolation(limit: Int) -> Bool {
        counts.withLock { counts in
            guard counts.isolated < limit else { return false }
            counts.isolated += 1
            return true
        }
    }

    func returnIsolation() {
        counts.withLock { $0.isolated -= 1 }
    }
}
