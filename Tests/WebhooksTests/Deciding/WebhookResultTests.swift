// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Webhooks

@Suite struct WebhookResultTests {
    @Test(arguments: [200, 201, 202, 204, 206, 299])
    func anyTwoHundredIsHandled(_ status: Int) {
        #expect(WebhookResult(status: status, retryAfter: .seconds(9), text: "no matter") == .handled)
    }

    @Test func goneMeansOff() {
        #expect(WebhookResult(status: 410, retryAfter: nil, text: "") == .gone("answered 410"))
    }

    @Test(arguments: [429, 502, 504])
    func someAnswersSlowTheEndpointDown(_ status: Int) {
        #expect(WebhookResult(status: status, retryAfter: .seconds(7), text: "") == .slow("answered \(status)", pause: .seconds(7)))
        #expect(WebhookResult(status: status, retryAfter: nil, text: "x") == .slow("answered \(status): x", pause: .zero))
    }

    @Test(arguments: [301, 302, 303, 304, 307, 308])
    func aRedirectIsAFailure(_ status: Int) {
        #expect(
            WebhookResult(status: status, retryAfter: nil, text: "") == .failed("answered \(status): redirects aren't followed"))
    }

    @Test(arguments: [100, 400, 401, 404, 409, 500, 501, 503, 599, 999])
    func allElseIsAFailureWithoutAPause(_ status: Int) {
        let result = WebhookResult(status: status, retryAfter: .seconds(60), text: "why")

        #expect(result == .failed("answered \(status): why"))
        #expect(result.pause == .zero)
    }

    @Test func namesAreThoseOfTheDatabase() {
        let results: [WebhookResult] = [.handled, .failed(""), .slow("", pause: .zero), .gone(""), .released]

        #expect(results.map(\.name) == ["handled", "failed", "slow", "gone", "released"])
        #expect(results.map { $0.error == nil } == [true, false, false, false, true])
    }
}
