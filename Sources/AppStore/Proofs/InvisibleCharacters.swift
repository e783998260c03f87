// SPDX-License-Identifier: Apache-2.0

import Verification

/// Characters that nobody sees, which editors, web pages and chats put into text. No proof has one.
enum InvisibleCharacters {
    private static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]

    /// UTF-8 of the soft hyphen, the no-break spaces, the zero-width ones, the marks of direction and the word joiner.
    private static let others: [[UInt8]] = [
        [0xC2, 0xAD], [0xC2, 0xA0], [0xE2, 0x80, 0xAF], [0xE2, 0x80, 0x87], [0xE2, 0x80, 0x8B], [0xE2, 0x80, 0x8C],
        [0xE2, 0x80, 0x8D], [0xE2, 0x80, 0x8E], [0xE2, 0x80, 0x8F], [0xE2, 0x81, 0xA0],
    ]

    /// The text without them, and the repairs that this took.
    static func removed(from text: ArraySlice<UInt8>) -> (text: ArraySlice<UInt8>, repairs: [ProofRepair]) {
        guard text.contains(where: { $0 >= 0xC2 }) else { return (text, []) }
        var rest: [UInt8] = []
        rest.reserveCapacity(text.count)
        var (hasMark, hasOthers) = (false, false)
        var position = text.startIndex
        while position < text.endIndex {
            let byte = text[position]
            guard byte >= 0xC2 else {
                rest.append(byte)
                position += 1
                continue
            }
            if text[position...].starts(with: byteOrderMark) {
                hasMark = true
                position += byteOrderMark.count
            } else if let found = others.first(where: { text[position...].starts(with: $0) }) {
                hasOthers = true
                position += found.count
            } else {
                // A letter of another script: this is no proof in any form, and costs no more time.
                return (text, [])
            }
        }
        return (rest[...], (hasMark ? [.byteOrderMark] : []) + (hasOthers ? [.invisibleCharacters] : []))
    }
}
