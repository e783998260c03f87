// SPDX-License-Identifier: Apache-2.0

import Verification

/// Mends base64 that took harmless damage on its way: in a form's body, a URL, or a mail.
struct Base64Repair {
    private static let space = UInt8(ascii: " ")
    private static let tab = UInt8(ascii: "\t")

    /// In the standard alphabet and without padding.
    private(set) var symbols: [UInt8] = []

    private var hasTabs = false
    private var hasURLSymbols = false
    private var hasSpaces = false
    private var hasFolds = false
    private var dropsFolds = false
    private var padding = 0

    /// The symbols of a damaged text; nil when it can't be base64.
    ///
    /// A space is a `+`. Exception: beside a line's end it may have come with the line. The reading then counts that has as many
    /// bytes as the receipt's first bytes announce.
    static func mend(_ text: ArraySlice<UInt8>) -> Base64Repair? {
        let core = withoutSurroundings(text)
        let mended = Base64Repair(core, dropsFolds: false)
        guard mended?.hasFolds ?? core.contains(space) else { return mended }
        guard let unfolded = Base64Repair(core, dropsFolds: true) else { return mended }
        guard let mended else { return unfolded }
        return EncodedReceipt.isWhole(unfolded.symbols) && !EncodedReceipt.isWhole(mended.symbols) ? unfolded : mended
    }

    private init?(_ text: ArraySlice<UInt8>, dropsFolds: Bool) {
        self.dropsFolds = dropsFolds
        symbols.reserveCapacity(text.count + 2)
        var position = text.startIndex
        while position < text.endIndex {
            let byte = text[position]
            position += 1
            if Base64.isStandardSymbol(byte) {
                guard padding == 0 else { return nil }
                symbols.append(byte)
                continue
            }
            if byte.isWhitespace {
                let end = text[position...].firstIndex { !$0.isWhitespace } ?? text.endIndex
                guard takeGap(text[(position - 1)..<end]) else { return nil }
                position = end
                continue
            }
            if byte == Base64.padding {
                padding += 1
                continue
            }
            guard padding == 0, byte.isBase64URLSymbol else { return nil }
            symbols.append(byte == UInt8(ascii: "-") ? UInt8(ascii: "+") : UInt8(ascii: "/"))
            hasURLSymbols = true
        }
        // Padding may be missing; more than belongs there means that the text is something else.
        guard symbols.count >= 4, symbols.count % 4 != 1, padding <= missingPadding else { return nil }
    }

    /// Takes white space inside the text; false where a `+` can't be.
    private mutating func takeGap(_ gap: ArraySlice<UInt8>) -> Bool {
        let spaces = gap.count { $0 == Self.space }
        hasTabs = hasTabs || gap.contains(Self.tab)
        guard spaces > 0 else { return true }
        if gap.contains(where: \.isLineEnd) {
            hasFolds = true
            if dropsFolds { return true }
        }
        guard padding == 0 else { return false }
        hasSpaces = true
        symbols += repeatElement(UInt8(ascii: "+"), count: spaces)
        return true
    }

    private var missingPadding: Int { (4 - symbols.count % 4) % 4 }

    /// The text of the symbols, with its padding.
    var padded: String {
        String(decoding: symbols + repeatElement(Base64.padding, count: missingPadding), as: UTF8.self)
    }

    /// Line ends are no damage.
    var repairs: [ProofRepair] {
        let all: [(Bool, ProofRepair)] = [
            (hasTabs, .tabs), (hasFolds && dropsFolds, .foldedLines), (hasSpaces, .spacesForPlus), (hasURLSymbols, .urlAlphabet),
            (padding != missingPadding, .padding),
        ]
        return all.filter(\.0).map(\.1)
    }

    /// Trims white space, but keeps spaces at the end that are the `+` a form's encoding took.
    ///
    /// They are where other spaces stand inside, no padding closes the text, and they complete its last group of four.
    private static func withoutSurroundings(_ text: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        let core = text.trimmingWhitespace()
        let length = core.count { !$0.isLineEnd && $0 != tab }
        guard length % 4 != 0, core.last != Base64.padding, core.contains(space) else { return core }
        let spaces = text[core.endIndex...].prefix { $0 == space }
        return length % 4 + spaces.count == 4 ? text[core.startIndex..<spaces.endIndex] : core
    }
}
