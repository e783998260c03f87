// SPDX-License-Identifier: Apache-2.0

import AppStore
import FoundationEssentials
import Testing

@Suite
struct Base64Tests {
    @Test(arguments: 0...65)
    func whatFoundationEncodesIsDecoded(length: Int) {
        let bytes = (0..<length).map { UInt8(truncatingIfNeeded: $0 &* 151 &+ length) }
        let text = Array(Data(bytes).base64EncodedString().utf8)

        let decoded = Base64.decode(padded: text[...], as: .standard)

        #expect(decoded == bytes)
    }

    @Test
    func alphabetsDifferInTwoLetters() {
        let bytes: [UInt8] = [0xFB, 0xEF, 0xFF]

        #expect(Base64.decode(unpadded: Array("++//".utf8)[...], as: .standard) == bytes)
        #expect(Base64.decode(unpadded: Array("--__".utf8)[...], as: .url) == bytes)
        #expect(Base64.decode(unpadded: Array("++//".utf8)[...], as: .url) == nil)
        #expect(Base64.decode(unpadded: Array("--__".utf8)[...], as: .standard) == nil)
    }

    @Test(arguments: ["A", "AAAAA", "AB", "AAB", "AA=A", "AA A", "AAA\n", "AAé", "=", "A===", "AA=", "AAAA="])
    func textThatNoEncoderWritesIsRefused(text: String) {
        #expect(Base64.decode(padded: Array(text.utf8)[...], as: .standard) == nil)
        #expect(Base64.decode(unpadded: Array(text.utf8)[...], as: .standard) == nil)
    }
}
