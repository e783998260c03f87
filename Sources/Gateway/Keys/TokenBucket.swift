// SPDX-License-Identifier: Apache-2.0

/// A limit of so many a second, with so many at once.
package struct TokenBucket: Sendable {
    package let rate: Double
    package let burst: Double
    private var level: Double
    private var at: ContinuousClock.Instant

    package init(rate: Double, burst: Double, now: ContinuousClock.Instant) {
        self.rate = rate
        self.burst = burst
        level = burst
        at = now
    }

    /// Takes one; else how long until there is one.
    package mutating func take(_ now: ContinuousClock.Instant) -> Duration? {
        refill(now)
        guard level < 1 else {
            level -= 1
            return nil
        }
        return .seconds((1 - level) / rate)
    }

    /// How long until there is one; nil where there is.
    package mutating func wait(_ now: ContinuousClock.Instant) -> Duration? {
        refill(now)
        return level < 1 ? .seconds((1 - level) / rate) : nil
    }

    package mutating func isFull(_ now: ContinuousClock.Instant) -> Bool {
        refill(now)
        return level >= burst
    }

    private mutating func refill(_ now: ContinuousClock.Instant) {
        level = min(burst, level + rate * ((now - at) / .seconds(1)))
        at = now
    }
}

/// A bucket for each of many, such as addresses. Those that are full say nothing, and are forgotten.
package struct TokenBuckets<Owner: Hashable & Sendable>: Sendable {
    private let rate: Double
    private let burst: Double
    private let most: Int
    private var buckets: [Owner: TokenBucket] = [:]

    package init(rate: Double, burst: Double, most: Int = 10_000) {
        self.rate = rate
        self.burst = burst
        self.most = most
    }

    package var count: Int { buckets.count }

    /// How long until the owner has one; nil where it has, and takes none.
    package mutating func wait(_ owner: Owner, _ now: ContinuousClock.Instant) -> Duration? { buckets[owner]?.wait(now) }

    /// Takes one of the owner's; else how long until there is one. Where too many have a bucket, a further one is refused.
    package mutating func take(_ owner: Owner, _ now: ContinuousClock.Instant) -> Duration? {
        if buckets[owner] == nil, buckets.count >= most {
            for (other, bucket) in buckets {
                var bucket = bucket
                if bucket.isFull(now) { buckets[other] = nil }
            }
            guard buckets.count < most else { return .seconds(1) }
        }
        return buckets[owner, default: TokenBucket(rate: rate, burst: burst, now: now)].take(now)
    }
}
