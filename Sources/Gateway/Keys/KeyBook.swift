// SPDX-License-Identifier: Apache-2.0

package import Postgres
import Schema
import Synchronization
import VerificationQueue

/// The keys that were shown lately, as the database has them. A key that is revoked holds five seconds longer at most.
package final class KeyBook: Sendable {
    private static let memory = Duration.seconds(5)
    private static let most = 1_000
    private static let timeout = Duration.seconds(5)

    private enum Standing {
        case holds(KeyFacts)
        case expired, unknown
    }

    private struct Page {
        let standing: Standing
        let until: ContinuousClock.Instant

        var holds: Bool {
            if case .holds = standing { true } else { false }
        }
    }

    private struct State {
        var pages: [[UInt8]: Page] = [:]
        var calls: TokenBuckets<String>
        var uploads: TokenBuckets<String>
        var refusals = TokenBuckets<String>(rate: 20, burst: 40)
    }

    private let pool: PostgresPool
    private let state: Mutex<State>

    package init(pool: PostgresPool, limits: GatewayLimits) {
        self.pool = pool
        state = Mutex(
            State(
                calls: TokenBuckets(rate: limits.callsPerSecond, burst: limits.callBurst),
                uploads: TokenBuckets(rate: limits.uploadsPerSecond, burst: limits.uploadsPerSecond)))
    }

    /// The facts of a key that holds.
    ///
    /// - Parameter address: of the caller: who shows many wrong keys is refused without a look-up.
    /// - Throws: `key_unknown`, `key_expired`, `rate_limited`; what the database throws.
    package func find(_ key: GatewayKey?, from address: String) async throws -> KeyFacts {
        guard let key else { throw refusal(.keyUnknown, address) }
        let hash = key.hash
        let standing: Standing
        let page = state.withLock { $0.pages[hash] }
        if let page, page.until > .now {
            standing = page.standing
        } else {
            // Behind a proxy all have its address: who has a key isn't held up by those who guess.
            if page?.holds != true, let wait = state.withLock({ $0.refusals.wait(address, .now) }) { throw Self.limited(wait) }
            standing = try await read(hash)
        }
        switch standing {
        case .holds(let facts): return facts
        case .expired: throw refusal(.keyExpired, address)
        case .unknown: throw refusal(.keyUnknown, address)
        }
    }

    /// - Throws: `rate_limited`.
    package func count(_ key: KeyFacts, isUpload: Bool) throws(Problem) {
        let wait = state.withLock { state in
            state.calls.take(key.prefix, .now) ?? (isUpload ? state.uploads.take(key.prefix, .now) : nil)
        }
        if let wait { throw Self.limited(wait) }
    }

    /// Notes that the key went over a network in clear. Who sends many is passed over: a client's own key comes again.
    ///
    /// - Returns: whether it is a key, and that is news.
    package func markExposed(_ key: GatewayKey, from address: String) async -> Bool {
        guard state.withLock({ $0.refusals.take(address, .now) }) == nil else { return false }
        let rows = try? await pool.execute(SQLFile.markKeyUsed.statement, [.bytes(key.hash), .bool(true)], timeout: Self.timeout)
        return rows?.isEmpty == false
    }

    private func refusal(_ name: Problem.Name, _ address: String) -> Problem {
        if let wait = state.withLock({ $0.refusals.take(address, .now) }) { return Self.limited(wait) }
        return Problem(name)
    }

    private static func limited(_ wait: Duration) -> Problem {
        Problem(.rateLimited, retryAfter: max(1, Int((wait / .seconds(1)).rounded(.up))))
    }

    private func read(_ hash: [UInt8]) async throws -> Standing {
        let rows = try await pool.execute(SQLFile.findKey.statement, [.bytes(hash)], timeout: Self.timeout)
        let standing = try rows.first.map(Self.standing) ?? .unknown
        if case .holds = standing {
            _ = try await pool.execute(SQLFile.markKeyUsed.statement, [.bytes(hash), .bool(false)], timeout: Self.timeout)
        }
        let memory = try rows.first?.optionalDouble(5).map { min(Self.memory, .seconds(max(0, $0))) } ?? Self.memory
        state.withLock { state in
            if state.pages.count >= Self.most { state.pages = state.pages.filter(\.value.holds) }
            if state.pages.count >= Self.most { state.pages.removeAll() }
            state.pages[hash] = Page(standing: standing, until: .now + memory)
        }
        return standing
    }

    private static func standing(_ row: PostgresRow) throws -> Standing {
        if try row.bool(3) { return .unknown }
        if try row.bool(4) { return .expired }
        return .holds(
            KeyFacts(
                prefix: try row.string(0), scopes: Set(try row.textArray(1)),
                bundleIDs: row.isNull(2) ? nil : Set(try row.textArray(2))))
    }
}
