// SPDX-License-Identifier: Apache-2.0

import Testing
import Verification
import VerificationQueue

@Suite
struct UnreleasedAppsTests {
    private let game = BundleID(rawValue: "com.example.game")
    private let start = ContinuousClock.now

    @Test
    func productionIsClosedForSomeMinutesAfterTheSandboxTookTheKey() {
        let closed = UnreleasedApps()

        closed.learn(from: Self.search(.unauthorized, .found), about: game, at: start)

        let end = start + UnreleasedApps.memory
        #expect(closed.contains(game, at: start))
        #expect(closed.contains(game, at: end - .milliseconds(1)))
        #expect(!closed.contains(game, at: end))
        #expect(!closed.contains(game, at: start))
        #expect(!closed.contains(BundleID(rawValue: "com.example.other"), at: start))
    }

    @Test(
        arguments: [
            (.unauthorized, .unauthorized), (.unauthorized, .notFound), (.notFound, .found), (.found, nil),
            (.unauthorized, nil), (nil, .found),
        ] as [(EnvironmentSearch.Finding?, EnvironmentSearch.Finding?)])
    func nothingElseClosesIt(production: EnvironmentSearch.Finding?, sandbox: EnvironmentSearch.Finding?) {
        let closed = UnreleasedApps()

        closed.learn(from: Self.search(production, sandbox), about: game, at: start)

        #expect(!closed.contains(game, at: start))
    }

    @Test(arguments: [EnvironmentSearch.Finding.found, .notFound])
    func answerFromProductionOpensIt(finding: EnvironmentSearch.Finding) {
        let closed = UnreleasedApps()
        closed.learn(from: Self.search(.unauthorized, .found), about: game, at: start)

        closed.learn(from: Self.search(finding, nil), about: game, at: start)

        #expect(!closed.contains(game, at: start))
    }

    private static func search(
        _ production: EnvironmentSearch.Finding?, _ sandbox: EnvironmentSearch.Finding?
    ) -> EnvironmentSearch {
        var search = EnvironmentSearch()
        if let production { search.note(production, in: .production) }
        if let sandbox { search.note(sandbox, in: .sandbox) }
        return search
    }
}
