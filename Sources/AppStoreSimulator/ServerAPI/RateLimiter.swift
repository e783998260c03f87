// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Synchronization

/// Enforces limits of calls a second, kept for each endpoint, environment and app. No limit is set at first.
final class RateLimiter: Sendable {
    private struct Key: Hashable {
        let target: CallTarget
        let bundleID: String
    }

    private struct State {
        var limits: [CallTarget: Int] = [:]
        var taken: [Key: [Date]] = [:]
    }

    private let state = Mutex(State())

    /// Sets the calls a second that each app has; nil for no limit.
    func setLimit(_ callsPerSecond: Int?, for target: CallTarget) {
        state.withLock { $0.limits[target] = callsPerSecond }
    }

    /// Takes a call of an app's, or tells when it may call again: as soon as the call that was taken as many calls ago
    /// as the limit allows is a second old. Calls that were refused don't count.
    func refusal(of target: CallTarget, bundleID: String, at now: Date) -> Date? {
        state.withLock { state in
            guard let limit = state.limits[target] else { return nil }
            let key = Key(target: target, bundleID: bundleID)
            var taken = (state.taken[key] ?? []).filter { now.timeIntervalSince($0) < 1 }
            let next = taken.count < limit ? nil : (taken.first ?? now).addingTimeInterval(1)
            if next == nil { taken.append(now) }
            state.taken[key] = taken
            return next
        }
    }
}
