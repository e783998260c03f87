// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// Notes the steps of a worker: in its progress, in its metrics, and as events for whoever observes it.
final class WorkerRecord: Sendable {
    /// Yields once, after the first claim that the database answered; ends when the worker does.
    let readiness: AsyncStream<Void>

    private let becameReady: AsyncStream<Void>.Continuation
    private let state = Mutex(WorkerProgress(at: .now))
    private let metrics: WorkerMetrics?
    private let observe: (@Sendable (WorkerEvent) -> Void)?

    init(metrics: WorkerMetrics?, observe: (@Sendable (WorkerEvent) -> Void)?) {
        self.metrics = metrics
        self.observe = observe
        (readiness, becameReady) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    var progress: WorkerProgress { state.withLock { $0 } }

    var isDraining: Bool { state.withLock { $0.phase == .draining } }

    // MARK: The worker's life

    /// The worker is registered, and may claim unless it was asked to drain before that.
    func registered() {
        state.withLock { progress in
            if progress.phase == .waitingForDatabase { progress.enter(.working, at: .now) }
        }
    }

    func beganDraining() {
        state.withLock { $0.enter(.draining, at: .now) }
    }

    func ended() {
        becameReady.finish()
    }

    /// A step that changes neither the progress nor a metric.
    func happened(_ event: WorkerEvent) {
        observe?(event)
    }

    // MARK: Claims

    /// A round of the claim loop began, or of the loop that waits for the database.
    func roundBegan() {
        state.withLock { $0.lastRound = .now }
    }

    func claimed(_ jobs: Int, for reason: WakeUp, in duration: Duration) {
        let isFirst = state.withLock { progress in
            defer { progress.claimAnswered(at: .now) }
            return progress.lastClaim == nil
        }
        if isFirst { becameReady.yield() }
        metrics?.claimed(jobs, for: reason, in: duration)
        observe?(.claimed(jobs: jobs, for: reason))
    }

    func claimFailed(for reason: WakeUp) {
        state.withLock { $0.claimFailed(at: .now) }
        metrics?.claimFailed(for: reason)
        observe?(.claimFailed(for: reason))
    }

    // MARK: Chores

    func rescued(_ jobs: Int) {
        if jobs > 0 { metrics?.rescued(jobs) }
        observe?(.rescued(jobs: jobs))
    }

    func heartbeatBegan() {
        state.withLock { $0.lastHeartbeatRound = .now }
    }

    func heartbeatWritten() {
        state.withLock { $0.lastHeartbeat = .now }
        observe?(.heartbeat(isWritten: true))
    }

    /// - Parameter databaseIsAway: counts like a failed claim. A worker without room claims nothing, and only its
    ///   heartbeat shows that the database is away.
    func heartbeatFailed(databaseIsAway: Bool) {
        if databaseIsAway { state.withLock { $0.claimFailed(at: .now) } }
        observe?(.heartbeat(isWritten: false))
    }

    func queueCounted() {
        state.withLock { $0.queueReadAt = .now }
        observe?(.queueCounted)
    }
}
