// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Synchronization
import Verification

/// The bearer tokens in use, one for each app: made when first needed, and anew before they expire.
///
/// Apple takes a token many times. Making one costs a signature, so at some hundred calls a second it pays to keep it.
final class BearerTokens: Sendable {
    /// Apple refuses a token that is good for longer.
    static let longestLifetime: Duration = .seconds(60 * 60)

    private struct Entry {
        let token: BearerToken
        let key: ServerAPIKey
        let issuedAt: Date
    }

    private let lifetime: Duration
    private let renewal: Duration
    private let now: @Sendable () -> Date
    private let entries = Mutex<[BundleID: Entry]>([:])

    /// - Throws: when a token would live longer than Apple allows, or be renewed too late to be of use.
    init(_ configuration: AppStoreConfiguration) throws(AppStoreConfigurationError) {
        guard configuration.tokenRenewal > .zero, configuration.tokenRenewal < configuration.tokenLifetime,
            configuration.tokenLifetime <= Self.longestLifetime
        else {
            throw AppStoreConfigurationError(
                "a token must be renewed before its lifetime is over, which is at most 60 minutes")
        }
        lifetime = configuration.tokenLifetime
        renewal = configuration.tokenRenewal
        now = configuration.now
    }

    /// The token for an app under a key: the one in use, or a new one when that is of another key, is to be renewed, or
    /// bears a time that the clock has since gone back behind.
    ///
    /// - Throws: a transient failure when it can't be signed.
    func token(for bundleID: BundleID, key: ServerAPIKey) throws(VerificationFailure) -> BearerToken {
        let moment = now()
        let token: BearerToken? = entries.withLock { entries in
            if let entry = entries[bundleID], entry.key === key, isFresh(entry, at: moment) { return entry.token }
            let fresh = BearerToken(for: bundleID, signedBy: key, at: moment, lifetime: lifetime)
            entries[bundleID] = fresh.map { Entry(token: $0, key: key, issuedAt: moment) }
            return fresh
        }
        guard let token else { throw .unavailable("a token for the App Store Server API could not be signed") }
        return token
    }

    /// Makes the next call take a new token, if this one is still in use: Apple refused it.
    func discard(_ token: BearerToken, for bundleID: BundleID) {
        entries.withLock { entries in
            if entries[bundleID]?.token == token { entries[bundleID] = nil }
        }
    }

    private func isFresh(_ entry: Entry, at moment: Date) -> Bool {
        let age = moment.timeIntervalSince(entry.issuedAt)
        return age >= 0 && .seconds(age) < renewal
    }
}
