// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Webhooks

@Suite struct WebhookRetryTests {
    static let delays: [(failures: Int, delay: Duration)] = [
        (1, .seconds(5)), (2, .seconds(300)), (3, .seconds(1800)), (4, .seconds(7200)), (5, .seconds(18_000)),
        (6, .seconds(36_000)),
        (7, .seconds(50_400)), (8, .seconds(72_000)), (9, .seconds(86_400)),
    ]

    @Test(arguments: Self.delays)
    func delaysGrow(_ failures: Int, _ delay: Duration) {
        let retry = WebhookRetry(after: failures, chance: 0)

        #expect(retry.delay == delay)
        #expect(!retry.isLast)
        #expect(abs(WebhookRetry(after: failures, chance: 1).delay / delay - 1.1) < 1e-9)
        #expect(abs(WebhookRetry(after: failures, chance: -1).delay / delay - 0.9) < 1e-9)
    }

    @Test(arguments: [10, 11, 1_000_000])
    func theTenthFailureIsTheLast(_ failures: Int) {
        let retry = WebhookRetry(after: failures, chance: 0)

        #expect(retry.isLast)
        #expect(retry.delay == .seconds(86_400))
    }

    @Test(arguments: [-1, 0])
    func noFailureCountsAsTheFirst(_ failures: Int) {
        #expect(WebhookRetry(after: failures, chance: 0) == WebhookRetry(after: 1, chance: 0))
    }

    @Test(arguments: [-1e9, -1.5, 1.5, 1e9])
    func aWildChanceIsBounded(_ chance: Double) {
        let share = WebhookRetry(after: 3, chance: chance).delay / .seconds(1800)

        #expect((0.899...1.101).contains(share))
    }
}
