// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Postgres

@Suite struct ReconnectBackoffTests {
    @Test(arguments: [
        (1, Duration.milliseconds(100)), (2, .milliseconds(200)), (3, .milliseconds(400)), (4, .milliseconds(800)),
        (5, .milliseconds(800)), (1000, .milliseconds(800)), (Int.max, .milliseconds(800)),
    ])
    func ceilingDoublesUpToItsLimit(failures: Int, ceiling: Duration) {
        #expect(ReconnectBackoff().delay(afterFailures: failures, fraction: 1) == ceiling)
    }

    @Test func jitterReachesDownToNothing() {
        #expect(ReconnectBackoff().delay(afterFailures: 6, fraction: 0) == .zero)
        #expect(ReconnectBackoff().delay(afterFailures: 6, fraction: 0.5) == .milliseconds(400))
    }
}
