// SPDX-License-Identifier: Apache-2.0

/// Which environment a transaction is in, found out by asking one after the other.
///
/// A pure value: it takes the finding of each call and returns the next step. The rules are Apple's: production first, then the
/// sandbox if production doesn't know the transaction. By Apple's staff, production answers 401 to every token of an app that was
/// never released, so that one 401 alone isn't about the key.
///
/// | Production | Sandbox | Conclusion |
/// |---|---|---|
/// | found | | found in production |
/// | not found, 401, or not asked because it is closed | found | found in the sandbox |
/// | not found | not found | missing |
/// | 401, or not asked | not found | unresolved: the key is good, and production can't be asked |
/// | 401 | 401 | the key is at fault, in production |
/// | not found, or not asked | 401 | the key is at fault in the sandbox; production is not to suffer by it |
///
/// Conclusions come as early as they can: a transaction that is found is not searched for elsewhere.
package struct EnvironmentSearch: Hashable, Sendable {
    /// The finding in one environment.
    package enum Finding: Hashable, Sendable, CaseIterable {
        case found
        case notFound
        case unauthorized
    }

    package enum Step: Hashable, Sendable {
        case ask(AppStoreEnvironment)
        case found(AppStoreEnvironment)
        /// Neither has it; a later search may find it.
        case missing
        /// The sandbox doesn't have it and production can't be asked: nothing follows for the customer.
        case unresolved
        /// The key is refused there, and nothing that we know excuses it.
        case misconfigured(AppStoreEnvironment)
    }

    private let isUnreleased: Bool
    private var production: Finding?
    private var sandbox: Finding?

    /// - Parameter isUnreleased: whether production is known to refuse everything about this app, see ``UnreleasedApps``; it isn't
    ///   asked then.
    package init(isUnreleased: Bool = false) {
        self.isUnreleased = isUnreleased
    }

    /// The next step.
    package var next: Step {
        if production == .found { return .found(.production) }
        if sandbox == .found { return .found(.sandbox) }
        if production == nil && !isUnreleased { return .ask(.production) }
        if sandbox == nil { return .ask(.sandbox) }
        switch (production, sandbox) {
        case (.unauthorized?, .unauthorized?): return .misconfigured(.production)
        case (_, .unauthorized?): return .misconfigured(.sandbox)
        case (.notFound?, _): return .missing
        default: return .unresolved
        }
    }

    /// Whether this search has shown that production refuses an app whose key is good.
    package var hasShownUnreleased: Bool {
        production == .unauthorized && sandbox == .found
    }

    /// Whether production refused the key, and the sandbox's answer doesn't explain that.
    package var leavesRefusalUnexplained: Bool {
        production == .unauthorized && sandbox == .notFound
    }

    /// Whether this search has shown that production answers about the app.
    package var hasShownProductionOpen: Bool {
        production == .found || production == .notFound
    }

    /// Takes in the finding in an environment; a later one replaces it.
    package mutating func note(_ finding: Finding, in environment: AppStoreEnvironment) {
        switch environment {
        case .production: production = finding
        case .sandbox: sandbox = finding
        }
    }
}
