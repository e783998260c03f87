// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Gateway

@Suite struct GatewayKeyTests {
    @Test func aNewKeyIsReadAgain() throws {
        let key = GatewayKey()
        let again = try #require(GatewayKey(key.text))

        #expect(key.text.wholeMatch(of: /cf_live_[0-9A-Za-z]{49}/) != nil)
        #expect(again.hash == key.hash)
        #expect(again.hash.count == 32)
        #expect(key.text.hasPrefix(key.prefix))
        #expect(key.prefix.count == 16)
        #expect(GatewayKey().text != key.text)
    }

    /// Each mistake of one character is found without a look-up.
    @Test func aMistypedKeyIsNone() {
        let text = GatewayKey().text
        var places = 0
        for index in text.indices {
            var wrong = text
            wrong.replaceSubrange(index...index, with: text[index] == "a" ? "b" : "a")
            if GatewayKey(wrong) == nil { places += 1 }
        }

        #expect(places == text.count)
        #expect(GatewayKey(text.dropLast()) == nil)
        #expect(GatewayKey(text + "a") == nil)
        #expect(GatewayKey("") == nil)
        #expect(GatewayKey(text.replacing("cf_live_", with: "cf_test_")) == nil)
    }

    @Test func aHeaderBearsAKey() {
        let text = GatewayKey().text

        #expect(GatewayKey(authorization: "Bearer \(text)")?.text == text)
        #expect(GatewayKey(authorization: "bearer  \(text)")?.text == text)
        for header in [nil, "", text, "Basic \(text)", "Bearer", "Bearer \(text) x", "Bearer x"] {
            #expect(GatewayKey(authorization: header) == nil)
        }
    }

    @Test func aKeyIsForItsScopesAndApps() throws {
        let key = KeyFacts(prefix: "cf_live_1", scopes: ["read"], bundleIDs: ["com.example.a"])

        try key.require(.read)
        try key.require(bundle: "com.example.a")
        #expect(throws: Problem.self) { try key.require(.orders) }
        #expect(throws: Problem.self) { try key.require(bundle: "com.example.b") }
        #expect(KeyFacts(prefix: "", scopes: [], bundleIDs: nil).isFor("any"))
        #expect(!KeyFacts(prefix: "", scopes: [], bundleIDs: []).isFor("any"))
    }
}

@Suite struct TokenBucketTests {
    private let start = ContinuousClock.now

    @Test func aBurstPassesAndThenTheRate() {
        var bucket = TokenBucket(rate: 10, burst: 3, now: start)

        let found1 = (0..<3).map { _ in bucket.take(start) }
        #expect(found1 == [nil, nil, nil])
        let found2 = bucket.take(start)
        #expect(found2 == .milliseconds(100))
        let found3 = bucket.take(start + .milliseconds(100))
        #expect(found3 == nil)
        let found4 = bucket.take(start + .milliseconds(150))
        #expect(found4 == .milliseconds(50))
        // It never has more than the burst.
        let found5 = (0..<4).map { _ in bucket.take(start + .seconds(60)) == nil }
        #expect(found5 == [true, true, true, false])
    }

    @Test func ownersHaveTheirOwn() {
        var buckets = TokenBuckets<String>(rate: 1, burst: 1)

        let found6 = buckets.take("a", start)
        #expect(found6 == nil)
        let found7 = buckets.take("b", start)
        #expect(found7 == nil)
        let found8 = buckets.take("a", start)
        #expect(found8 == .seconds(1))
        let found9 = buckets.wait("a", start)
        #expect(found9 == .seconds(1))
        let found10 = buckets.wait("c", start)
        #expect(found10 == nil)
    }

    @Test func theirNumberIsBounded() {
        var buckets = TokenBuckets<Int>(rate: 1, burst: 1, most: 3)
        for owner in 0..<3 { _ = buckets.take(owner, start) }

        let found11 = buckets.take(3, start)
        #expect(found11 != nil)
        #expect(buckets.count == 3)
        // Full again, they are forgotten.
        let found12 = buckets.take(3, start + .seconds(2))
        #expect(found12 == nil)
        #expect(buckets.count == 1)
    }
}
