// SPDX-License-Identifier: Apache-2.0

import Verification

/// Mends a compact JWS whose parts were encoded or laid out in another way than Apple's.
///
/// A space inside a line isn't mended: it may be a `+`, or nothing.
enum JWSRepair {
    /// Three parts of base64url without padding, the first of which begins as the JSON object `{"…` does.
    ///
    /// Nil when the text has no such parts.
    static func mend(_ text: ArraySlice<UInt8>) -> (jws: ArraySlice<UInt8>, repairs: [ProofRepair])? {
        guard text.starts(with: "eyJ".utf8) else { return nil }
        if CompactJWS.hasShape(text) { return (text, []) }
        var mended: [UInt8] = []
        mended.reserveCapacity(text.count)
        var part = Part()
        var (hasTabs, hasFolds, hasStandardSymbols, hasPadding) = (false, false, false, false)
        var position = text.startIndex
        while position < text.endIndex {
            let byte = text[position]
            position += 1
            switch byte {
            case _ where byte.isWhitespace:
                let end = text[position...].firstIndex { !$0.isWhitespace } ?? text.endIndex
                let gap = text[(position - 1)..<end]
                let hasSpaces = gap.contains(UInt8(ascii: " "))
                guard !hasSpaces || gap.contains(where: \.isLineEnd) else { return nil }
                hasFolds = hasFolds || hasSpaces
                hasTabs = hasTabs || gap.contains(UInt8(ascii: "\t"))
                position = end
            case Base64.padding:
                part.padding += 1
                hasPadding = true
            case CompactJWS.separator:
                guard part.isWhole else { return nil }
                part = Part()
                mended.append(byte)
            case _ where part.padding > 0: return nil
            case UInt8(ascii: "+"), UInt8(ascii: "/"):
                mended.append(byte == UInt8(ascii: "+") ? UInt8(ascii: "-") : UInt8(ascii: "_"))
                hasStandardSymbols = true
                part.symbols += 1
            default:
                mended.append(byte)
                part.symbols += 1
            }
        }
        guard part.isWhole, CompactJWS.hasShape(mended[...]) else { return nil }
        let repairs: [(Bool, ProofRepair)] = [
            (hasTabs, .tabs), (hasFolds, .foldedLines), (hasStandardSymbols, .standardAlphabet), (hasPadding, .padding),
        ]
        return (mended[...], repairs.filter(\.0).map(\.1))
    }

    private struct Part {
        var symbols = 0
        var padding = 0

        /// Whether its padding is the one that belongs there, or none is.
        var isWhole: Bool { padding == 0 || padding == (4 - symbols % 4) % 4 }
    }
}
