// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Rehearsal

@Suite struct QuestionLimitTests {
    @Test func whatComesBeyondTheLimitOfASecondIsNotAsked() {
        let start = ContinuousClock.now
        var limit = QuestionLimit(aSecond: 2)

        let asked = [0, 10, 999, 1_000, 1_001, 1_999, 5_000].map { limit.admits(at: start + .milliseconds($0)) }

        #expect(asked == [true, true, false, true, true, false, true])
    }
}
