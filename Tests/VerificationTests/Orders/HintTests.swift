// SPDX-License-Identifier: Apache-2.0

import Testing
import Verification

@Suite struct HintTests {
    @Test(arguments: [
        "com.example.game", "purchase", "", " 1", "1 ", "-1", "1.0", "1e9", "\u{0663}", "7A1B2C3D-0000-0000-0000-000000000000",
        String(repeating: "1", count: 33), "0", "000",
    ])
    func aTextThatCanNotBeAnIDIsNoHint(_ text: String) {
        #expect(TransactionID(hint: text) == nil)
    }

    @Test(arguments: ["1", "10", "2000000123456789", String(repeating: "1", count: 32)])
    func digitsAreAHint(_ text: String) {
        #expect(TransactionID(hint: text)?.rawValue == text)
    }
}
