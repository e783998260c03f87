// SPDX-License-Identifier: Apache-2.0

extension Scenarios {
    /// What Apple does.
    static let apple = [
        Scenario(
            name: "apple-outage",
            summary: "nothing but errors from Apple: jobs are parked, and not charged for it",
            settings: ChaosSettings(slots: 100, load: .seconds(18), rate: 40),
            schedule: { series, _ in series.once(.apple(.outage, for: .seconds(14)), at: .seconds(2)) },
            leastFaults: 1, mostFailedAttempts: 600),
        Scenario(
            name: "apple-errors", summary: "30 % of Apple's answers are errors or broken off",
            settings: ChaosSettings(slots: 100),
            schedule: { series, settings in series.once(.apple(.errors, for: settings.load - .seconds(2))) },
            leastFaults: 1),
        Scenario(
            name: "apple-stalls", summary: "Apple takes calls and never answers",
            settings: ChaosSettings(slots: 100),
            schedule: { series, _ in series.every(.seconds(6)) { _, _ in .apple(.stalls, for: .seconds(4)) } },
            leastFaults: 1),
        Scenario(
            name: "apple-wrong-answers", summary: "Apple answers with pages, halves, and things that aren't JSON",
            settings: ChaosSettings(slots: 100),
            schedule: { series, _ in series.every(.seconds(6)) { _, _ in .apple(.wrongAnswers, for: .seconds(3)) } },
            leastFaults: 1),
        Scenario(
            name: "apple-429", summary: "Apple asks for fewer calls, in storms",
            settings: ChaosSettings(slots: 100),
            schedule: { series, _ in series.every(.seconds(4)) { _, _ in .apple(.tooManyRequests, for: .seconds(2)) } },
            leastFaults: 2),
    ]
}
