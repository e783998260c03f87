// SPDX-License-Identifier: Apache-2.0

import Synchronization
package import Verification

/// The apps that production refused everything about of late, while the sandbox took the same key: those never released.
///
/// Remembered for some minutes, so that each purchase in the sandbox of such an app costs one call and not two, and the
/// release is noticed soon after.
package final class UnreleasedApps: Sendable {
    /// How long it is believed that production is closed.
    package static let memory: Duration = .seconds(10 * 60)

    private let ends = Mutex<[BundleID: ContinuousClock.Instant]>([:])

    package init() {}

    /// Whether production is closed for an app, as far as is known.
    package func contains(_ bundleID: BundleID, at now: ContinuousClock.Instant = .now) -> Bool {
        ends.withLock { ends in
            guard let end = ends[bundleID] else { return false }
            if now < end { return true }
            ends[bundleID] = nil
            return false
        }
    }

    /// Takes in what a search has shown about an app.
    package func learn(from search: EnvironmentSearch, about bundleID: BundleID, at now: ContinuousClock.Instant = .now)
    {
        guard search.hasShownUnreleased || search.hasShownProductionOpen else { return }
        ends.withLock { $0[bundleID] = search.hasShownUnreleased ? now + Self.memory : nil }
    }
}
