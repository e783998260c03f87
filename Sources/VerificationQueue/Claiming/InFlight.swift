// SPDX-License-Identifier: Apache-2.0

import Synchronization
import Verification

/// The jobs that a worker holds: how many run of each lane, and how many bytes their proofs have.
///
/// A job runs until its attempt finishes. The worker holds the job and its proof until the attempt is settled, or its
/// lease is lost.
final class InFlight: Sendable {
    private struct Counts {
        var runningByLane: [LaneID: Int] = [:]
        var running = 0
        var held = 0
        var isolated = 0
        var proofBytes = 0
        var leases: [JobID: Int64] = [:]
    }

    private let counts = Mutex(Counts())

    /// How many jobs run, and how many the worker holds: those that run and those that wait for their settlement.
    var jobs: (running: Int, held: Int) {
        counts.withLock { ($0.running, $0.held) }
    }

    /// How many jobs of each lane run; lanes without a running job are left out.
    var runningByLane: [LaneID: Int] {
        counts.withLock(\.runningByLane)
    }

    /// Bytes of the proofs of all held jobs.
    var proofBytes: Int {
        counts.withLock(\.proofBytes)
    }

    /// The leases of all held jobs.
    var leases: [Lease] {
        counts.withLock { $0.leases.map { Lease(jobID: $0.key, token: $0.value) } }
    }

    /// Counts jobs as running and held, and returns the bytes of their proofs.
    func start(_ jobs: [Job]) -> Int {
        counts.withLock { counts in
            counts.running += jobs.count
            counts.held += jobs.count
            var bytes = 0
            for job in jobs {
                counts.runningByLane[job.lane, default: 0] += 1
                counts.leases[job.id] = job.lease.token
                bytes += job.work.text.utf8.count
            }
            counts.proofBytes += bytes
            return bytes
        }
    }

    /// Counts a job as no longer running. The worker holds it until ``settle(_:)``.
    func finish(_ job: Job) {
        counts.withLock { counts in
            let left = counts.runningByLane[job.lane, default: 0] - 1
            counts.runningByLane[job.lane] = left == 0 ? nil : left
            counts.running -= 1
        }
    }

    /// Counts a finished job as no longer held.
    func settle(_ job: Job) {
        counts.withLock { counts in
            counts.held -= 1
            // A later claim may have leased it to this worker again.
            if counts.leases[job.id] == job.lease.token { counts.leases[job.id] = nil }
            counts.proofBytes -= job.work.text.utf8.count
        }
    }

    /// Takes one of `limit` places for attempts in processes of their own; false when all are taken.
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
