// SPDX-License-Identifier: Apache-2.0

import Verification

extension ClaimLoop {
    /// Starts the attempts of claimed jobs, side by side.
    ///
    /// - Parameter probe: the probe that the jobs are for, of which there is only one then.
    /// - Returns: the bytes of their proofs.
    @discardableResult
    func startAttempts(
        _ jobs: [Job], probe: GateStore.Probe? = nil, in attempts: inout DiscardingTaskGroup
    ) -> Int {
        let proofBytes = inFlight.start(jobs)
        if let time = jobs.first?.claimedAt { clock.follow(time) }
        placement.start(jobs, in: &attempts) { job in
            self.keeper.cache[job.lane]?.endpoint.route != .local
        } attempt: { job in
            await self.attempt(job, probe: probe)
        }
        return proofBytes
    }

    private func attempt(_ job: Job, probe: GateStore.Probe?) async {
        let attempt = await attemptHereOrAlone(job)
        inFlight.finish(job)
        if let attempt {
            settler.add((probe.map { attempt.probing($0.lane) } ?? attempt).settlement)
        } else {
            // The attempt's own process settled the job.
            inFlight.settle(job)
        }
        pacing.roomWasMade()
        // That process has ended the probe as well.
        guard let attempt else { return }
        if let probe {
            await keeper.end(probe, with: attempt)
        } else if !attempt.calls.isEmpty {
            await keeper.record(attempt)
        }
    }

    /// Attempts a job; nil when a process of its own has settled it.
    private func attemptHereOrAlone(_ job: Job) async -> Attempt? {
        if let isolation, isolation.isDue(job) {
            return await isolation.attempt(job)
        }
        let deadline = min(.now + configuration.attemptDeadline, job.leaseEnds - .seconds(1))
        return await runner.attempt(job, deadline: deadline)
    }
}
