// SPDX-License-Identifier: Apache-2.0

import Testing
import Verification

@testable import VerificationQueue

@Suite struct SlotTallyTests {
    /// Claims look into the lanes in which some run, among many.
    @Test func aLaneIsForgottenWhenItsLastAttemptEnds() {
        let tally = SlotTally()
        let jobs = [
            Sample.job(proof: "eyJ 1", lane: Sample.local), Sample.job(proof: "eyJ", lane: Sample.local),
            Sample.job(proof: "MII", lane: Sample.apiProduction),
        ]

        #expect(tally.start(jobs) == 11)
        #expect(tally.running.byLane == [Sample.local: 2, Sample.apiProduction: 1])

        tally.finish(jobs[0])
        tally.finish(jobs[2])
        #expect(tally.running.byLane == [Sample.local: 1])
        #expect(tally.running.total == 1)

        tally.finish(jobs[1])
        #expect(tally.running.byLane.isEmpty)
        #expect(tally.proofBytes == 11)
    }
}
