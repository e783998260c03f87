// SPDX-License-Identifier: Apache-2.0

import AppStoreSimulator
import FoundationEssentials
import TestSupport
import Testing

/// `counterfoil subscriptions show` beside the simulated App Store.
@Suite struct SubscriptionsCommandTests {
    private static let day: TimeInterval = 86_400

    /// Runs as an operator whose host has the app's key.
    private static func withLife(
        _ body: @escaping @Sendable (
            _ simulator: AppStoreSimulator, _ id: String, _ show: @escaping @Sendable ([String]) async throws -> Program.Ended
        ) async throws -> Void
    ) async throws {
        try await AppStoreSimulator.withRunning { simulator in
            try await Shop.run(simulator: simulator) { shop in
                try await shop.useServerAPI(simulator)
                try await shop.succeed(["products", "add", Shop.bundle, "plus", "--kind", "auto_renewable"])
                let life = SimulatedSubscription(
                    SimulatedPlan("plus"), bundleID: Shop.bundle, at: Date().addingTimeInterval(-31 * day))
                try simulator.begin(life, isTold: false)
                let id = life.originalTransactionID
                let environment = shop.administration.merging(shop.serverAPI(simulator)) { $1 }
                try await body(simulator, id) { options in
                    try await Program.run(["subscriptions", "show", id] + options, environment: environment)
                }
            }
        }
    }

    /// Nobody is asked unless the operator says so. Each answer is recorded, and seen without asking then.
    @Test(.timeLimit(.minutes(3)))
    func itShowsWhatIsKnownAndAsksAppleIfItIsTold() async throws {
        try await Self.withLife { simulator, id, show in
            let unknown = try await show([])
            #expect(!unknown.status.isSuccess && unknown.errors.contains("no subscription of transaction \(id) is known"))
            let nameless = try await show(["--ask"])
            #expect(!nameless.status.isSuccess && nameless.errors.contains("name its app by --bundle"))

            let ended = try await show(["--ask", "--bundle", Shop.bundle, "--json"])
            #expect(ended.status.isSuccess, "\(ended.errors)")
            #expect(ended.output.contains(#""status":"expired""#), "\(ended.output)")
            #expect(ended.output.contains(#""original_transaction_id":"\#(id)""#), "\(ended.output)")

            // The notification of the renewal is lost.
            try simulator.apply(.renew, to: id, at: Date().addingTimeInterval(-1 * Self.day - 3600), isTold: false)
            let before = try await show(["--json"])
            #expect(before.output.contains(#""status":"expired""#), "\(before.output)")
            let asked = try await show(["--ask", "--json"])
            #expect(asked.status.isSuccess, "\(asked.errors)")
            #expect(asked.output.contains(#""status":"active""#), "\(asked.output)")
            let after = try await show(["--json"])
            #expect(after.output.contains(#""status":"active""#) && after.output.contains(#""will_renew":true"#), "\(after.output)")
        }
    }

    /// Apple's refusal of the key is said, and nothing is recorded.
    @Test(.timeLimit(.minutes(3)))
    func withoutAnAnswerItSaysSo() async throws {
        try await Self.withLife { simulator, _, show in
            simulator.replaceAPIKey()

            let refused = try await show(["--ask", "--bundle", Shop.bundle])

            #expect(!refused.status.isSuccess && !refused.errors.isEmpty && refused.output.isEmpty)
            #expect(try await !show([]).status.isSuccess)
        }
    }
}
