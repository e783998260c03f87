// SPDX-License-Identifier: Apache-2.0

import Logging
import Postgres
import Synchronization
import Verification

/// Claims jobs for the worker's free slots and starts their attempts, until the worker drains.
///
/// A round waits for a reason to claim, carries out the probes that are due, plans, claims, and starts the attempts.
/// One task runs all rounds, on the pool's executor, where the database's answers arrive. ``ClaimPacing`` decides when
/// a round begins, ``ClaimPlanner`` what it claims, and ``AttemptPlacement`` where the attempts run.
final class ClaimLoop: Sendable {
    let planner = Mutex(ClaimPlanner())

    let keeper: GateKeeper
    let runner: AttemptRunner
    let settler: Settler
    let inFlight: InFlight
    let pacing: ClaimPacing
    let placement: AttemptPlacement
    let isolation: AttemptIsolation?
    let configuration: WorkerConfiguration
    let clock: DatabaseClock

    private let worker: WorkerID
    private let jobs: JobStore
    private let record: WorkerRecord
    private let logger: Logger
    /// Probes for the next round; nil once the loop has ended.
    private let probes = Mutex<[GateStore.Probe]?>([])
    private let lostClaims = Mutex(LostClaims())

    /// How long a look for lost claims may take. Default 5 seconds.
    private static let lookTimeout = Duration.seconds(5)

    init(of worker: Worker, as id: WorkerID, settler: Settler) {
        keeper = worker.keeper
        runner = AttemptRunner(
            verifier: worker.verifier, gates: worker.keeper.cache, pool: worker.pool, retry: worker.configuration.retry,
            callMetrics: worker.metrics?.calls ?? .unread)
        self.settler = settler
        inFlight = worker.inFlight
        pacing = worker.pacing
        placement = worker.placement
        isolation = worker.isolation
        configuration = worker.configuration
        clock = worker.clock
        self.worker = id
        jobs = JobStore(pool: worker.pool)
        record = worker.record
        logger = worker.logger
    }

    /// Claims until the worker drains, and returns when the last attempt has finished.
    func run() async {
        await withDiscardingTaskGroup { attempts in
            while let reason = await pacing.nextClaim() {
                record.roundBegan()
                for probe in takeProbes() {
                    await startProbe(probe, in: &attempts)
                    record.roundBegan()
                }
                await claim(for: reason, in: &attempts)
            }
            await handBackLostClaims()
            // Other workers may make these probes, in a second.
            for probe in endProbes() { await keeper.end(probe, with: nil) }
        }
    }

    /// Takes probes over for the next round. Once the worker drains, the probes go back to the other workers.
    func take(_ probes: [GateStore.Probe]) async {
        guard !probes.isEmpty else { return }
        let isTaken = self.probes.withLock { waiting in
            guard waiting != nil, !pacing.isStopped else { return false }
            waiting?.append(contentsOf: probes)
            return true
        }
        if isTaken {
            pacing.wake(.probe)
        } else {
            for probe in probes { await keeper.end(probe, with: nil) }
        }
    }

    private func claim(for reason: WakeUp, in attempts: inout DiscardingTaskGroup) async {
        await handBackLostClaims()
        let began = ContinuousClock.now
        let free = pacing.freeSlots
        let limit = min(free, configuration.claimBatch)
        let bytes = configuration.proofBytes - inFlight.proofBytes
        // Only these bring jobs. If the look fails, so will the claim, and says so.
        if reason == .signalled || reason == .polled {
            try? await keeper.noticeNewLanes()
            record.roundBegan()
        }
        let plan = makePlan(limit: limit)
        guard bytes > 0, let plan else {
            // There is no slot, no room for bytes, or no lane below its quota. In the last case all free slots are blocked.
            let blocked = bytes > 0 ? max(0, free) : 0
            pacing.note(.foundNoRoom(LimitedClaim(blockedSlots: blocked, began: began)))
            record.happened(.foundNoRoom(for: reason))
            return
        }
        pacing.note(.underWay)
        do {
            let claimed = try await jobs.claim(
                plan, worker: worker, proofBytes: bytes, lease: configuration.leaseDuration, unreadable: noteUnreadable)
            record.claimed(claimed.count, for: reason, in: began.duration(to: .now))
            planner.withLock { $0.note(claimed.lazy.map { ($0.job.lane, $0.priority, $0.runAt) }, of: plan) }
            let bytesTaken = startAttempts(claimed.map(\.job), in: &attempts)
            if claimed.count >= limit || bytesTaken >= bytes {
                pacing.note(.hitLimit(LimitedClaim(blockedSlots: 0, began: began)))
            } else if plan.heldBack(claimed.lazy.map(\.job.lane)) {
                pacing.note(.hitLimit(LimitedClaim(blockedSlots: free - claimed.count, began: began)))
            } else {
                pacing.note(.tookAll)
            }
        } catch {
            noteLostClaim(error)
            record.claimFailed(for: reason)
            // A drain cancels a claim that takes too long. That is no fault.
            if pacing.noteFailure(of: reason) == 1, !Task.isCancelled {
                logger.warning("could not claim; trying again", metadata: ["error": "\(error)"])
            }
        }
    }

    /// Plans a claim of at most `limit` jobs; nil when there is no slot, or no lane that may use one.
    private func makePlan(limit: Int) -> ClaimPlanner.Plan? {
        let lanes = keeper.lanesToClaim
        let worthRunning = keeper.limits(of: lanes, runner.rateLimiter)
        let running = inFlight.runningByLane
        let plan = planner.withLock {
            $0.plan(lanes: lanes, running: running, worthRunning: worthRunning, slots: configuration.slots, limit: limit)
        }
        // A worker without an open lane claims all the same: readiness and health depend on the database's answer.
        let hasNoLane = lanes.isEmpty && keeper.cache.isRead && limit > 0
        return plan.isEmpty && !hasNoLane ? nil : plan
    }

    /// Claims one job of a closed lane, and starts its attempt as the probe.
    private func startProbe(_ probe: GateStore.Probe, in attempts: inout DiscardingTaskGroup) async {
        if probe.closedBy == .configuration {
            runner.verifier.reloadCredentials()
        }
        var claimed: [ClaimedJob] = []
        do {
            claimed = try await jobs.claim(
                .probe(of: probe.lane), worker: worker, proofBytes: configuration.proofBytes,
                lease: configuration.leaseDuration, probing: probe.lane, unreadable: noteUnreadable)
        } catch {
            noteLostClaim(error)
        }
        if let job = claimed.first?.job {
            startAttempts([job], probe: probe, in: &attempts)
        } else {
            await keeper.end(probe, with: nil)
        }
    }

    private func noteUnreadable(_ error: PostgresError) {
        logger.error("a claimed job can't be read; it is left to another worker", metadata: ["error": "\(error)"])
    }

    private func noteLostClaim(_ error: PostgresError) {
        guard error.mayHaveHappened else { return }
        lostClaims.withLock { $0.claimWasLost(at: .now, lease: configuration.leaseDuration) }
    }

    /// Makes jobs available again that were leased to this worker by a claim whose answer was lost. Without it they would wait for
    /// the end of their leases.
    ///
    /// No claim is on its way meanwhile: all that this worker knows of, it holds.
    private func handBackLostClaims() async {
        let began = ContinuousClock.now
        guard lostClaims.withLock({ $0.isLookDue(at: began) }) else { return }
        // If a look fails, the next one may pass.
        let count = try? await jobs.handBackLostClaims(of: worker, known: inFlight.leases, timeout: Self.lookTimeout)
        lostClaims.withLock { $0.looked(from: began, to: .now) }
        if let count, count > 0 {
            logger.notice("handed back jobs of a claim whose answer was lost", metadata: ["jobs": "\(count)"])
            pacing.wake(.signalled)
        }
        record.roundBegan()
    }

    private func takeProbes() -> [GateStore.Probe] {
        probes.withLock { probes in
            defer { probes = [] }
            return probes ?? []
        }
    }

    private func endProbes() -> [GateStore.Probe] {
        probes.withLock { probes in
            defer { probes = nil }
            return probes ?? []
        }
    }
}
