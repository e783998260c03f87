// SPDX-License-Identifier: Apache-2.0

import Testing
import Verification

@testable import VerificationQueue

@Suite struct InFlightTests {
    /// Claims look into the lanes in which some run, among many.
    @Test func aLaneIsForgottenWhenItsLastAttemptEnds() {
        let inFlight = InFlight()
        let jobs = [
            Sample.job(proof: "eyJ 1", lane: Sample.local), Sample.job(proof: "eyJ", lane: Sample.local),
            Sample.job(proof: "MII", lane: Sample.apiProduction),
        ]

        #expect(inFlight.start(jobs) == 11)
        #expect(inFlight.runningByLane == [Sample.local: 2, Sample.apiProduction: 1])

        inFlight.finish(jobs[0])
        inFlight.finish(jobs[2])
        #expect(inFlight.runningByLane == [Sample.local: 1])
        #expect(inFlight.jobs.running == 1)

        inFlight.finish(jobs[1])
        #expect(inFlight.runningByLane.isEmpty)
        #expect(inFlight.proofBytes == 11)
    }

    /// A late settlement of an older lease doesn't end the newer one.
    @Test func aLeaseIsKnownUntilItsJobIsSettled() {
        let inFlight = InFlight()
        let job = Sample.job(1, proof: "eyJ 1")
        _ = inFlight.start([job])
        inFlight.finish(job)
        #expect(inFlight.leases == [job.lease])

        inFlight.settle(job)

        #expect(inFlight.leases == [])
    }

    @Test func aJobIsHeldUntilItIsSettled() {
        let inFlight = InFlight()
        let jobs = [Sample.job(1, proof: "eyJ 1"), Sample.job(2, proof: "eyJ")]
        _ = inFlight.start(jobs)

        inFlight.finish(jobs[0])
        #expect(inFlight.jobs.running == 1)
        #expect(inFlight.jobs.held == 2)
        #expect(inFlight.proofBytes == 8)

        inFlight.settle(jobs[0])
        #expect(inFlight.jobs.running == 1)
        #expect(inFlight.jobs.held == 1)
        #expect(inFlight.proofBytes == 3)
    }
}
