// SPDX-License-Identifier: Apache-2.0

import Logging
import Postgres
import Synchronization
import Verification

/// The chores of a worker beside its jobs, each with a timer of its own.
extension Worker {
    func addChores(to group: inout TaskGroup<Void>, as id: WorkerID, for loop: ClaimLoop) {
        group.addTask { await self.tendGates(for: loop) }
        group.addTask { await self.rescue() }
        group.addTask { await self.beat(id) }
        group.addTask { await self.maintain() }
        group.addTask { await self.rollUp() }
        group.addTask { await self.poll() }
        group.addTask { await self.hintAtChanges() }
        group.addTask { await self.catchUp() }
        group.addTask { await self.sendConsumptionAnswers() }
        if let metrics {
            group.addTask { await self.measure(metrics) }
            group.addTask { await self.measureRejections(metrics) }
        }
    }

    private func poll() async {
        while !Task.isCancelled {
            try? await Task.sleep(for: configuration.pollInterval * Double.random(in: 0.5...1))
            pacing.wake(.polled)
        }
    }

    private func hintAtChanges() async {
        let store = WorkerStore(pool: pool, identity: identity)
        await changeHints.send { try await store.signalChanges() }
    }

    /// What Apple told while nobody listened. The first time soon after the start: workers that start together don't ask together.
    private func catchUp() async {
        let catchUp = NotificationCatchUp(pool: pool, verifier: verifier, logger: logger, callMetrics: metrics?.calls ?? .unread)
        var interval = NotificationCatchUp.intervalAtStart
        try? await Task.sleep(for: configuration.catchUpInterval * Double.random(in: 0...0.25))
        await repeating(every: configuration.catchUpInterval, "could not catch up with notifications") {
            try await catchUp.run(notWithin: interval)
            interval = NotificationCatchUp.interval
        }
    }

    private func sendConsumptionAnswers() async {
        let answers = ConsumptionAnswers(
            pool: pool, verifier: verifier, retry: configuration.retry, logger: logger, callMetrics: metrics?.calls ?? .unread)
        await repeating(every: configuration.consumptionInterval, "could not send answers about refunds") {
            try await answers.send()
        }
    }

    private func tendGates(for loop: ClaimLoop) async {
        // Each worker has an interval of its own, so that the workers don't scan the whole index at once.
        var fullScans = FullScanSchedule(every: .seconds(.random(in: 4...6)))
        await repeating(every: configuration.gateInterval, "could not read the gates") {
            let probes = try await self.keeper.refresh(takesProbes: !self.isDraining)
            if self.keeper.cache.takeMended() {
                self.verifier.reloadCredentials()
            }
            self.record.happened(.gatesRead)
            await loop.take(probes)
            try await self.scanForLaneHeads(for: loop, &fullScans)
        }
    }

    private func scanForLaneHeads(for loop: ClaimLoop, _ fullScans: inout FullScanSchedule) async throws {
        let began = ContinuousClock.now
        let slack = fullScans.isDue(at: began) ? nil : ClaimPlanner.slackOfScans
        let lanes = keeper.cache.openLanes
        let lowWaterMarks = loop.planner.withLock { $0.lowWaterMarks(of: lanes, slack: slack) }
        defer {
            if slack == nil { fullScans.note(from: began, to: .now) }
        }
        let heads = try await keeper.findLaneHeads(
            of: lanes, lowWaterMarks: lowWaterMarks, running: inFlight.runningByLane.keys)
        loop.planner.withLock { $0.note(heads) }
        record.happened(.scannedForLaneHeads(isFull: slack == nil))
    }

    private func rescue() async {
        let jobs = JobStore(pool: pool)
        var window = RescueWindow()
        await repeating(every: configuration.rescueInterval, "could not rescue jobs") {
            let began = ContinuousClock.now
            let span = window.span(at: began)
            var isWhole = false
            defer { window.note(scanFrom: began, to: .now, span: span, isWhole: isWhole) }
            let (rescued, refusal) = try await jobs.rescueAllExpired(within: span)
            isWhole = true
            self.record.rescued(rescued)
            if rescued > 0 {
                self.logger.warning("rescued jobs whose leases ran out", metadata: ["jobs": "\(rescued)"])
                self.pacing.wake(.signalled)
            }
            if let refusal { throw refusal }
        }
    }

    private func beat(_ worker: WorkerID) async {
        let store = WorkerStore(pool: pool, identity: identity)
        var watch = ClockWatch()
        await repeating(every: configuration.heartbeatInterval, "could not write a heartbeat") {
            self.record.heartbeatBegan()
            do throws(PostgresError) {
                let time = try await store.beat(worker, slots: self.configuration.slots, running: self.inFlight.jobs.running)
                guard let time else { return self.end(because: .idOfAnother(worker)) }
                if watch.wentBack(to: time, at: .now) { try await self.bringTimesBack() }
            } catch {
                self.record.heartbeatFailed(databaseIsAway: Self.isWorthWaiting(error))
                throw error
            }
            self.record.heartbeatWritten()
        }
    }

    /// What was written while the server's clock was ahead would wait until then.
    private func bringTimesBack() async throws(PostgresError) {
        let jobs = try await WorkerStore(pool: pool, identity: identity).bringTimesBack()
        guard jobs > 0 else { return }
        logger.warning(
            "the server's clock was ahead: jobs that were written meanwhile wait no longer", metadata: ["jobs": "\(jobs)"])
        pacing.wake(.signalled)
    }

    private func measure(_ metrics: WorkerMetrics) async {
        let reader = QueueReader(pool: pool)
        await repeating(every: configuration.measureInterval, "could not count the queue") {
            metrics.gauges.set(try await reader.read())
            self.record.queueCounted()
        }
    }

    private func measureRejections(_ metrics: WorkerMetrics) async {
        let reader = QueueReader(pool: pool)
        await repeating(every: configuration.rejectionInterval, "could not count rejections") {
            metrics.gauges.set(risingRejections: try await reader.readRisingRejections())
        }
    }

    private func maintain() async {
        let store = WorkerStore(pool: pool, identity: identity)
        let notifications = NotificationStore(pool: pool)
        let configuration = configuration
        let steps: [@Sendable () async throws -> Void] = [
            { try await self.bringTimesBack() },
            { try await store.makePartitions() },
            { try await store.pruneProofs(olderThan: configuration.proofRetention) },
            { try await notifications.prune(olderThan: configuration.attemptRetention) },
            { try await store.reviewAwaitedRenewals() },
            { try await store.dropAttempts(olderThan: configuration.attemptRetention) },
            { try await store.dropChanges(olderThan: configuration.changeRetention) },
            {
                try await store.pruneRollUps(
                    minutesOlderThan: configuration.minuteRetention, hoursOlderThan: configuration.hourRetention)
            },
            { try await store.removeSilentWorkers() },
        ]
        await repeating(every: configuration.maintenanceInterval, "could not do maintenance") {
            // A step that fails does not hold up the others.
            var failure: (any Error)?
            for step in steps {
                do { try await step() } catch { failure = failure ?? error }
            }
            if let failure { throw failure }
        }
    }

    private func rollUp() async {
        let store = WorkerStore(pool: pool, identity: identity)
        await repeating(every: configuration.rollUpInterval, "could not count for the dashboards") {
            try await store.rollUp()
        }
    }

    /// Does a chore at jittered intervals until it is cancelled. A failure is logged, once in a row, and waits for the
    /// next time.
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
