// SPDX-License-Identifier: Apache-2.0

import CAllocationCount
import Synchronization
import Verification
import VerificationQueue

/// Counts what a worker settles and tells its milestones.
final class WorkerProgress: Sendable {
    /// A moment of the run.
    struct Mark: Sendable {
        let settled: Int
        let lost: Int
        let time: ContinuousClock.Instant
        let cpuSeconds: Double
        let allocations: UInt64
    }

    private struct State {
        var settled = 0
        var lost = 0
        var fellApart = 0
        var hasStarted = false
        var start: Mark?
        var end: Mark?
        var moments: [WorkerReport.Moment] = []
    }

    /// Ends when the first claim came back with a job.
    let started: AsyncStream<Never>
    /// Ends when as many jobs as were asked for are settled.
    let finished: AsyncStream<Never>
    private let start: AsyncStream<Never>.Continuation
    private let finish: AsyncStream<Never>.Continuation
    private let plan: WorkerPlan
    private let state = Mutex(State())

    init(_ plan: WorkerPlan) {
        self.plan = plan
        (started, start) = AsyncStream.makeStream()
        (finished, finish) = AsyncStream.makeStream()
    }

    func note(_ event: WorkerEvent) {
        switch event {
        case .claimed(let jobs, _): if jobs > 0 { begin() }
        case .settled(let settled): note(settled)
        case .batchFellApart: state.withLock { $0.fellApart += 1 }
        default: break
        }
    }

    private func begin() {
        state.withLock { state in
            guard !state.hasStarted else { return }
            state.hasStarted = true
            state.start = mark(state)
            start.finish()
        }
    }

    private func note(_ settled: SettlementResult) {
        state.withLock { state in
            state.settled += 1
            if settled.result == .leaseLost {
                state.lost += 1
            }
            if plan.tellsTimes {
                state.moments.append(
                    WorkerReport.Moment(job: settled.settlement.job.id.rawValue, nanoseconds: MonotonicTime.nanoseconds))
            }
            guard state.settled == plan.jobs else { return }
            state.end = mark(state)
            finish.finish()
        }
    }

    /// Begins the measurement anew, at the end of a warm-up.
    func beginMeasurement() {
        state.withLock { $0.start = mark($0) }
    }

    func endMeasurement() {
        state.withLock { $0.end = $0.end ?? mark($0) }
    }

    /// Between the two moments; nil when nothing was ever claimed.
    func report(resident: (now: Int, most: Int)) -> WorkerReport? {
        state.withLock { state in
            guard let start = state.start, let end = state.end else { return nil }
            return WorkerReport(
                settled: end.settled - start.settled, lost: end.lost - start.lost, fellApart: state.fellApart,
                seconds: start.time.duration(to: end.time).seconds, cpuSeconds: end.cpuSeconds - start.cpuSeconds,
                allocations: Int(end.allocations - start.allocations), residentBytes: resident.now,
                peakResidentBytes: resident.most, moments: state.moments)
        }
    }

    private func mark(_ state: State) -> Mark {
        Mark(
            settled: state.settled, lost: state.lost, time: .now, cpuSeconds: ProcessUsage.ofSelf.cpuSeconds,
            allocations: counterfoil_allocations())
    }
}
