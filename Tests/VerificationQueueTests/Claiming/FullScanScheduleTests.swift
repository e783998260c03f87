// SPDX-License-Identifier: Apache-2.0

import Testing
import VerificationQueue

@Suite struct FullScanScheduleTests {
    private let start = ContinuousClock.now

    @Test func theFirstScanIsDueAtOnce() {
        #expect(FullScanSchedule(every: .seconds(5)).isDue(at: start))
    }

    /// Up to a tenth of a second it costs nothing, then a fiftieth of the time, and after an outage it comes again soon.
    @Test(arguments: [
        (took: Duration.milliseconds(2), pause: Duration.seconds(5)), (.milliseconds(100), .seconds(5)),
        (.milliseconds(400), .seconds(20)), (.seconds(2), .seconds(60)), (.seconds(10), .seconds(60)),
    ])
    func theLongerAScanTookTheLaterComesTheNext(took: Duration, pause: Duration) {
        var schedule = FullScanSchedule(every: .seconds(5))

        schedule.note(from: start, to: start + took)

        #expect(!schedule.isDue(at: start + took + pause - .milliseconds(1)))
        #expect(schedule.isDue(at: start + took + pause))
    }
}
