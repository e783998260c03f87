// SPDX-License-Identifier: Apache-2.0

import Logging
import Postgres
import Synchronization
import Verification

/// What a worker does beside its jobs, each on a timer of its own.
extension Worker {
    func tick() async {
        while !Task.isCancelled {
            try? await Task.sleep(for: configuration.pollInterval * Double.random(in: 0.5...1))
            wakeUp.yield(.polled)
        }
    }

    func tendGates(_ keeper: GateKeeper) async {
        // Somewhat different in each worker, so that they don't look through all at once.
        var fullScans = FullScanSchedule(every: .seconds(.random(in: 4...6)))
        await repeating(every: configuration.gateInterval, "could not read the gates") {
            let probes = try await keeper.refresh(takesProbes: !self.isDraining)
            if keeper.cache.takeMended() {
                self.verifier.reloadCredentials()
            }
            self.observe?(.gatesRead)
            await self.hand(over: probes, keeper)
            try await self.scanForLaneHeads(keeper, &fullScans)
        }
    }

    /// Hands probes to the claims; gives them back when these have come to their end.
    private func hand(over probes: [GateStore.Probe], _ keeper: GateKeeper) async {
        guard !probes.isEmpty else { return }
        let isTaken = control.withLock { control in
            guard !control.isDraining else { return false }
            control.probes += probes
            return true
        }
        if isTaken {
            wakeUp.yield(.probe)
        } else {
            for probe in probes { await keeper.end(probe, with: nil) }
        }
    }

    private func scanForLaneHeads(_ keeper: GateKeeper, _ fullScans: inout FullScanSchedule) async throws {
        let began = ContinuousClock.now
        let slack = fullScans.isDue(at: began) ? nil : ClaimPlanner.slackOfScans
        let lanes = keeper.cache.openLanes
        let lowWaterMarks = schedule.withLock { $0.lowWaterMarks(of: lanes, slack: slack) }
        defer {
            if slack == nil { fullScans.note(from: began, to: .now) }
        }
        let first = try await keeper.findLaneHeads(of: lanes, lowWaterMarks: lowWaterMarks, running: inFlight.running.byLane.keys)
        schedule.withLock { $0.note(first) }
        observe?(.scannedForLaneHeads(isFull: slack == nil))
    }

    func rescue() async {
        let jobs = JobStore(pool: pool)
        var window = RescueWindow()
        await repeating(every: configuration.rescueInterval, "could not rescue jobs") {
            let began = ContinuousClock.now
            let span = window.span(at: began)
            var isWhole = false
            defer { window.note(scanFrom: began, to: .now, span: span, isWhole: isWhole) }
            var rescued = 0
            var batch = 0
            repeat {
                batch = try await jobs.rescueExpired(limit: 100, within: span)
                rescued += batch
            } while batch == 100
            isWhole = true
            self.observe?(.rescued(jobs: rescued))
            if rescued > 0 {
                self.metrics?.rescued(rescued)
                self.logger.warning("rescued jobs whose leases ran out", metadata: ["jobs": "\(rescued)"])
                self.wakeUp.yield(.notified)
            }
        }
    }

    func beat(_ worker: WorkerID) async {
        let store = WorkerStore(pool: pool, identity: identity)
        await repeating(every: configuration.heartbeatInterval, "could not write a heartbeat") {
            self.progress.withLock { $0.lastHeartbeatRound = .now }
            do {
                try await store.beat(worker, slots: self.configuration.slots, running: self.inFlight.running.total)
            } catch {
                // A worker without room claims nothing: only this tells it that the database is away.
                if Self.isWorthWaiting(error) {
                    self.progress.withLock { $0.claimFailed(at: .now) }
                }
                self.observe?(.heartbeat(isWritten: false))
                throw error
            }
            self.progress.withLock { $0.lastHeartbeat = .now }
            self.observe?(.heartbeat(isWritten: true))
        }
    }

    func measure(_ metrics: WorkerMetrics) async {
        let reader = QueueReader(pool: pool)
        await repeating(every: configuration.measureInterval, "could not count the queue") {
            metrics.gauges.set(try await reader.read())
            self.control.withLock { $0.queueReadAt = .now }
            self.observe?(.queueCounted)
        }
    }

    func maintain() async {
        let store = WorkerStore(pool: pool, identity: identity)
        let configuration = configuration
        let steps: [@Sendable () async throws -> Void] = [
            { try await store.makePartitions() },
            { try await store.pruneProofs(olderThan: configuration.proofRetention) },
            { try await store.dropAttempts(olderThan: configuration.attemptRetention) },
            {
                try await store.pruneRollUps(
                    minutesOlderThan: configuration.minuteRetention, hoursOlderThan: configuration.hourRetention)
            },
            { try await store.removeSilentWorkers() },
        ]
        await repeating(every: configuration.maintenanceInterval, "could not do maintenance") {
            // One that fails keeps none of the others from being done.
            var failure: (any Error)?
            for step in steps {
                do { try await step() } catch { failure = failure ?? error }
            }
            if let failure { throw failure }
        }
    }

    func rollUp() async {
        let store = WorkerStore(pool: pool, identity: identity)
        await repeating(every: configuration.rollUpInterval, "could not count for the dashboards") {
            try await store.rollUp()
        }
    }

    /// Does a chore now and then, at jittered intervals, until it is cancelled; a failure waits for the next time.
    private func repeating(
        every interval: Duration, _ complaint: Logger.Message, _ chore: () async throws -> Void
    ) async {
        var isComplaining = false
        while !Task.isCancelled {
            do {
                try await chore()
                isComplaining = false
            } catch {
                if !isComplaining, !Task.isCancelled {
                    logger.warning(complaint, metadata: ["error": "\(error)"])
                    isComplaining = true
                }
            }
            try? await Task.sleep(for: interval * Double.random(in: 0.75...1.25))
        }
    }
}
