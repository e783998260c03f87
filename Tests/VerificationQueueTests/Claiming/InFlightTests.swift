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
        #expect(inFlight.running.byLane == [Sample.local: 2, Sample.apiProduction: 1])

        inFlight.finish(jobs[0])
        inFlight.finish(jobs[2])
        #expect(inFlight.running.byLane == [Sample.local: 1])
        #expect(inFlight.running.total == 1)

        inFlight.finish(jobs[1])
        #expect(inFlight.running.byLane.isEmpty)
        #expect(inFlight.proofBytes == 11)
    }
}
