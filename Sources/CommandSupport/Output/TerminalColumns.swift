// SPDX-License-Identifier: Apache-2.0

extension StringProtocol {
    /// The columns of a terminal that it takes: two for what is wide, none for marks that stand on what precedes them.
    ///
    /// - Note: by scalar, as wcwidth(3) counts; a terminal may show a flag in fewer.
    package var columns: Int {
        utf8.count == unicodeScalars.count ? utf8.count : unicodeScalars.reduce(0) { $0 + $1.columns }
    }

    /// The longest part of its beginning that takes at most so many columns. What looks like one character may take any number of
    /// them, and is parted then.
    package func prefix(columns room: Int) -> SubSequence {
        var taken = 0
        let end = unicodeScalars.firstIndex { scalar in
            taken += scalar.columns
            return taken > room
        }
        return self[..<(end ?? endIndex)]
    }
}

extension Unicode.Scalar {
    /// The blocks of East Asian characters that are wide (Unicode Standard Annex 11: W and F).
    private static let wide: [ClosedRange<UInt32>] = [
        0x1100...0x115F, 0x2E80...0x303E, 0x3041...0xA4CF, 0xA960...0xA97F, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE10...0xFE19,
        0xFE30...0xFE6F, 0xFF01...0xFF60, 0xFFE0...0xFFE6, 0x16FE0...0x18DFF, 0x1AFF0...0x1B2FF, 0x1F200...0x1F2FF, 0x20000...0x3FFFD,
    ]

    fileprivate var columns: Int {
        if isASCII { return 1 }
        // It makes a picture of the character before it.
        if value == 0xFE0F { return 1 }
        if [.nonspacingMark, .enclosingMark].contains(properties.generalCategory) { return 0 }
        return properties.isEmojiPresentation || Self.wide.contains { $0.contains(value) } ? 2 : 1
    }
}
