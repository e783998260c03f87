// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Testing

@testable import AppStoreSimulator

@Suite struct FaultPlanTests {
    private static let target = CallTarget(.verifyReceipt, .production)
    private static let now = Date(timeIntervalSince1970: 1_800_000_000)

    private static func injector(_ plan: FaultPlan, seed: UInt64 = 7) -> FaultInjector {
        let injector = FaultInjector(seed: seed)
        injector.setPlan(plan, for: target)
        return injector
    }

    private static func draws(_ count: Int, from injector: FaultInjector) -> [FaultInjector.Injection] {
        (0..<count).map { _ in injector.draw(for: target, at: now) }
    }

    @Test func nothingBefallsACallWithoutAPlan() {
        let injector = FaultInjector(seed: 1)

        #expect(injector.draw(for: Self.target, at: Self.now) == .init())
    }

    @Test func sameSeedGivesTheSameRun() {
        let plan = FaultPlan(
            latency: .lognormal(median: .milliseconds(300), sigma: 0.7), faults: [.init(.html, probability: 0.3)])

        let first = Self.draws(200, from: Self.injector(plan))
        let again = Self.draws(200, from: Self.injector(plan))
        let other = Self.draws(200, from: Self.injector(plan, seed: 8))

        #expect(first == again)
        #expect(first != other)
    }

    @Test func faultsComeAsOftenAsTheirProbability() {
        let plan = FaultPlan(faults: [.init(.html, probability: 0.2), .init(.stall, probability: 0.05)])

        let faults = Self.draws(20_000, from: Self.injector(plan)).map(\.fault)

        // Five standard deviations around 4000 and around 1000.
        #expect((3717...4283).contains(faults.count { $0 == .html }))
        #expect((846...1154).contains(faults.count { $0 == .stall }))
    }

    @Test func lognormalLatencyHasItsMedianAndItsTail() {
        let plan = FaultPlan(latency: .lognormal(median: .milliseconds(300), sigma: 0.5))

        let sorted = Self.draws(20_001, from: Self.injector(plan)).map(\.latency).sorted()

        let median = sorted[10_000] / .milliseconds(1)
        let tail = sorted[19_500] / .milliseconds(1)
        #expect((290...310).contains(median))
        // exp(1.96 × 0.5) medians
        #expect((740...860).contains(tail))
    }

    @Test func windowIsOpenFromItsBeginningUntilBeforeItsEnd() {
        let end = Self.now.addingTimeInterval(60)
        let injector = Self.injector(FaultPlan(windows: [.init(.http(code: 503), from: Self.now, until: end)]))

        let moments = [Self.now.addingTimeInterval(-1), Self.now, end.addingTimeInterval(-1), end]
        let faults = moments.map { injector.draw(for: Self.target, at: $0).fault }

        #expect(faults == [nil, .http(code: 503), .http(code: 503), nil])
    }

    @Test func nextCallsAreUsedUpInOrder() {
        let injector = Self.injector(FaultPlan(nextCalls: [.html, nil, .stall]))

        #expect(Self.draws(4, from: injector).map(\.fault) == [.html, nil, .stall, nil])
    }

    @Test func windowLeavesNextCallsForLater() {
        let end = Self.now.addingTimeInterval(60)
        let plan = FaultPlan(nextCalls: [.html], windows: [.init(.http(code: 503), from: Self.now, until: end)])
        let injector = Self.injector(plan)

        #expect(injector.draw(for: Self.target, at: Self.now).fault == .http(code: 503))
        #expect(injector.draw(for: Self.target, at: end).fault == .html)
    }

    @Test func environmentsHavePlansOfTheirOwn() {
        let injector = Self.injector(.always(.html))

        #expect(injector.draw(for: CallTarget(.verifyReceipt, .sandbox), at: Self.now).fault == nil)
        #expect(injector.draw(for: Self.target, at: Self.now).fault == .html)
    }

    @Test func probabilitiesAboveOneAreInconsistent() {
        #expect(FaultPlan(faults: [.init(.html, probability: 0.5), .init(.stall, probability: 0.5)]).isConsistent)
        #expect(!FaultPlan(faults: [.init(.html, probability: 0.6), .init(.stall, probability: 0.5)]).isConsistent)
        #expect(!FaultPlan(faults: [.init(.html, probability: -0.1)]).isConsistent)
    }

    @Test func planSurvivesJSON() throws {
        let faults: [Fault] = [
            .http(code: 503), .http(code: 429, retryAfter: "1800000000000"), .empty(code: 404),
            .error(code: 4_290_000, retryAfter: "1800000000000"), .error(code: 5_000_001),
            .redirect(location: "https://localhost/"),
            .stall, .disconnect, .reset, .slowHeaders(.seconds(2)), .slowBody(.milliseconds(1500)), .html,
            .truncatedJSON, .invalidJSON, .statusMissing, .statusNotInteger, .status(code: 21005),
            .status(code: 21104, retryable: .init(.dashed, .number(1))),
            .status(code: 21104, retryable: .init(.underscored, .boolean(false))), .oversizedBody(bytes: 1000),
        ]
        let plan = FaultPlan(
            latency: .lognormal(median: .milliseconds(300), sigma: 0.5),
            faults: faults.map { .init($0, probability: 0.01) },
            nextCalls: faults + [nil],
            windows: [.init(.stall, from: Self.now, until: Self.now.addingTimeInterval(1))]
        )

        let decoded = try JSONDecoder().decode(FaultPlan.self, from: JSONEncoder().encode(plan))

        #expect(decoded == plan)
    }

    @Test func documentedJSONIsUnderstood() throws {
        let text = """
            {"latency": {"fixedMilliseconds": 50},
             "faults": [{"probability": 0.05, "fault": {"kind": "http", "code": 503}}],
             "nextCalls": [{"kind": "status", "code": 21104, "retryable": {"is-retryable": 1}}, null]}
            """

        let plan = try JSONDecoder().decode(FaultPlan.self, from: Data(text.utf8))

        #expect(plan.latency == .fixed(.milliseconds(50)))
        #expect(plan.faults == [.init(.http(code: 503), probability: 0.05)])
        #expect(plan.nextCalls == [.status(code: 21104, retryable: .init(.dashed, .number(1))), nil])
        #expect(plan.windows == [])
    }
}
