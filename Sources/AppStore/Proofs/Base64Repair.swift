// SPDX-License-Identifier: Apache-2.0

/// Mends base64 that took harmless damage on its way: in a form's body, a URL, or a mail.
enum Base64Repair {
    private static let space = UInt8(ascii: " ")

    /// The symbols of a damaged text, in the standard alphabet and without padding; nil when it can't be base64.
    static func mend(_ text: ArraySlice<UInt8>) -> [UInt8]? {
        var symbols: [UInt8] = []
        symbols.reserveCapacity(text.count + 2)
        var padding = 0
        for byte in withoutSurroundings(text) where !byte.isLineEnd {
            if byte == Base64.padding {
                padding += 1
                continue
            }
            guard padding == 0 else { return nil }
            switch byte {
            case space, UInt8(ascii: "-"): symbols.append(UInt8(ascii: "+"))
            case UInt8(ascii: "_"): symbols.append(UInt8(ascii: "/"))
            case _ where Base64.isStandardSymbol(byte): symbols.append(byte)
            default: return nil
            }
        }
        // Padding may be missing; more than belongs there means that the text is something else.
        guard symbols.count >= 4, symbols.count % 4 != 1, padding <= (4 - symbols.count % 4) % 4 else { return nil }
        return symbols
    }

    /// The text of mended symbols, with its padding.
    static func padded(_ symbols: [UInt8]) -> String {
        let padding = repeatElement(Base64.padding, count: (4 - symbols.count % 4) % 4)
        return String(decoding: symbols + padding, as: UTF8.self)
    }

    /// Trims white space, but keeps spaces at the end that are the `+` a form's encoding took.
    ///
    /// They are where other spaces stand inside, no padding closes the text, and they complete its last group of four.
    private static func withoutSurroundings(_ text: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        let core = text.trimmingWhitespace()
        let length = core.count { !$0.isLineEnd }
        guard length % 4 != 0, core.last != Base64.padding, core.contains(space) else { return core }
        let spaces = text[core.endIndex...].prefix { $0 == space }
        return length % 4 + spaces.count == 4 ? text[core.startIndex..<spaces.endIndex] : core
    }
}
