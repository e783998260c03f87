// SPDX-License-Identifier: Apache-2.0

import Synchronization
package import Verification

/// Apps that aren't released yet: production rejects their key, and the sandbox accepts it.
///
/// An app is remembered for some minutes. Until then a purchase in its sandbox costs one call and not two; after that its release
/// is noticed.
package final class UnreleasedApps: Sendable {
    /// How long an app is remembered.
    package static let memory: Duration = .seconds(10 * 60)

    private let ends = Mutex<[BundleID: ContinuousClock.Instant]>([:])

    package init() {}

    /// Whether production is known to be closed for an app.
    package func contains(_ bundleID: BundleID, at now: ContinuousClock.Instant = .now) -> Bool {
        ends.withLock { ends in
            guard let end = ends[bundleID] else { return false }
            if now < end { return true }
            ends[bundleID] = nil
            return false
        }
    }

    /// Remembers or forgets an app by the result of a search.
    package func learn(from search: EnvironmentSearch, about bundleID: BundleID, at now: ContinuousClock.Instant = .now)
    {
        guard search.hasShownUnreleased || search.hasShownProductionOpen else { return }
        ends.withLock { $0[bundleID] = search.hasShownUnreleased ? now + Self.memory : nil }
    }
}
