// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Delivering

@Suite struct QualifiedNameTests {
    @Test(arguments: ["shop.on_change", "_s1.x", "order.user"])
    func plainNamesAreTaken(_ text: String) throws {
        let name = try #require(QualifiedName(text))
        #expect(name.description == text)
        #expect(name.quoted == "\"" + text.replacing(".", with: "\".\"") + "\"")
    }

    @Test(arguments: [
        "", "on_change", "shop.", ".x", "a.b.c", "Shop.x", "shop.X", "shop.x y", "shop.\"x\"", "shop.x;drop table y", "shop.1x",
        "shop.é",
        "shop.x$y", "shop.x\n", "shop.x()", "shop.x\u{0}",
    ])
    func othersAreRefused(_ text: String) {
        #expect(QualifiedName(text) == nil)
        #expect(StateTables(text) == nil)
    }

    @Test func aNameIsNeverCut() {
        let longest = String(repeating: "x", count: 63)
        #expect(QualifiedName("s." + longest) != nil)
        #expect(QualifiedName("s." + longest + "x") == nil)
        #expect(StateTables("s." + longest.dropLast(7)) == nil)
        #expect(StateTables("s." + longest.dropLast(8))?.waiting.name.utf8.count == 63)
    }
}
