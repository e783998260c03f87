// SPDX-License-Identifier: Apache-2.0

import Delivering
import TestSupport
import Testing

@testable import Webhooks

@Suite struct EventKindTests {
    /// The list of `type` in the OpenAPI document, and the page's table.
    @Test(arguments: ChangeKind.allCases.map(\.rawValue) + ["webhook_test"])
    func eachKindIsDocumented(_ kind: String) throws {
        let document = try Repository.text("Sources/Gateway/OpenAPI/openapi.json")
        let event = try #require(document.split(separator: "\"WebhookEvent\": {").last)

        #expect(event.contains("\"\(kind)\""))
        #expect(try Repository.text("deploy/docs/webhooks.md").contains("`\(kind)`"))
    }
}
