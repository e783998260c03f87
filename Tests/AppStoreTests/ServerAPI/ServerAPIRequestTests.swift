// SPDX-License-Identifier: Apache-2.0

import Testing
import Verification

@testable import AppStore

@Suite
struct ServerAPIRequestTests {
    @Test
    func valuesInAQueryAreEscaped() {
        let request = ServerAPIRequest(
            "Test", .get, "/inApps/v2/history/1",
            query: [("revision", "a+b/c=="), ("productId", "x&revoked=true#?"), ("productId", "gold ü\u{0}%20~-._")])

        #expect(
            request.target
                == "/inApps/v2/history/1?revision=a%2Bb%2Fc%3D%3D&productId=x%26revoked%3Dtrue%23%3F"
                + "&productId=gold%20%C3%BC%00%2520~-._")
    }

    @Test
    func pathWithoutAQueryStaysAsItIs() {
        #expect(ServerAPIRequest("Test", .get, "/inApps/v1/x").target == "/inApps/v1/x")
    }

    @Test(arguments: ["1", "2000000123456789", String(repeating: "9", count: 32)])
    func digitsAreATransactionID(id: String) {
        #expect(PathSegment(TransactionID(rawValue: id))?.text == id)
    }

    @Test(arguments: ["", "1.", "a", "1/2", "１", "-1", "1 ", String(repeating: "9", count: 33)])
    func otherTextIsNoTransactionID(id: String) {
        #expect(PathSegment(TransactionID(rawValue: id)) == nil)
    }

    @Test(arguments: ["MTJX2K8Q4R", "ce3af791-365e-4c60-841b-1674b43c1609_1656709489000"])
    func lettersAndDigitsAreAToken(token: String) {
        #expect(PathSegment(token: token)?.text == token)
    }

    @Test(arguments: [
        "", ".", "..", "a/b", "a%2Fb", "a?b", "a#b", "a b", "ä", "a\n", String(repeating: "a", count: 129),
    ])
    func otherTextIsNoToken(token: String) {
        #expect(PathSegment(token: token) == nil)
    }
}
