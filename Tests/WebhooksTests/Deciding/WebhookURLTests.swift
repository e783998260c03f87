// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Webhooks

@Suite struct WebhookURLTests {
    static let hosts: [(url: String, host: String)] = [
        ("https://shop.example", "shop.example"), ("https://shop.example/hooks?x=1", "shop.example"),
        ("https://shop.example:8443/", "shop.example"), ("https://1.2.3.4/", "1.2.3.4"),
        ("https://[2001:db8::1]:443/a", "2001:db8::1"),
    ]

    @Test(arguments: Self.hosts)
    func httpsIsTaken(_ text: String, _ host: String) throws {
        let url = try #require(WebhookURL(text))

        #expect(url.host == host)
        #expect(url.text == text)
    }

    static let refused = [
        "", "shop.example", "http://shop.example", "ftp://shop.example", "HTTPS://shop.example", "https://Shop.example",
        "https://%6cocalhost/", "https://127.0.0.1%2f/", "https://shop.example.", "https://-a/", "https://a@127.0.0.1/",
        "https://[::1", "https://[v1.a]/", "https://", "https:///a",
        "https://user@shop.example", "https://user:word@shop.example", "https://shop.example/#part", "https://shop.example:0/",
        "https://shop.example:65536/", "https://shop.example/a b", "https://shop.example/\u{7}", "https://shöp.example/",
        "https://shop.example/" + String(repeating: "a", count: 1000),
    ]

    @Test(arguments: Self.refused)
    func allElseIsRefused(_ text: String) {
        #expect(WebhookURL(text) == nil)
    }
}
