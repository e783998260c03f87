// SPDX-License-Identifier: Apache-2.0

/// What a worker in a process of its own has done between the end of its warm-up and its stop.
///
/// A class: it is the result of asynchronous calls, and small so.
final class WorkerReport: Codable, Sendable {
    /// When a job was settled, on the clock that all processes share.
    struct Moment: Codable, Sendable {
        let job: Int64
        let nanoseconds: Int64
    }

    let settled: Int
    /// Those of `settled` whose lease was lost: none, unless something is wrong.
    let lost: Int
    /// The batches that were settled one by one in the end, because of somebody else's lock.
    let fellApart: Int
    let seconds: Double
    let cpuSeconds: Double
    /// How often the process asked the heap for memory.
    let allocations: Int
    let residentBytes: Int
    let peakResidentBytes: Int
    let moments: [Moment]

    init(
        settled: Int, lost: Int, fellApart: Int, seconds: Double, cpuSeconds: Double, allocations: Int, residentBytes: Int,
        peakResidentBytes: Int, moments: [Moment]
    ) {
        self.settled = settled
        self.lost = lost
        self.fellApart = fellApart
        self.seconds = seconds
        self.cpuSeconds = cpuSeconds
        self.allocations = allocations
        self.residentBytes = residentBytes
        self.peakResidentBytes = peakResidentBytes
        self.moments = moments
    }

    var jobsPerSecond: Double { Double(settled) / max(seconds, 1e-9) }
    var cpuMicrosecondsPerJob: Double { cpuSeconds * 1e6 / Double(max(1, settled)) }
    var allocationsPerJob: Double { Double(allocations) / Double(max(1, settled)) }
}
