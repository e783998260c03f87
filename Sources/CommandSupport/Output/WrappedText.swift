// SPDX-License-Identifier: Apache-2.0

/// A sentence in lines of a terminal's width, broken between words.
package struct WrappedText {
    /// At most that many characters, unless a single word is longer.
    package static let width = 80

    package let lines: [String]

    /// - Parameters:
    ///   - indent: spaces before each line; those after the first have it and four more.
    ///   - breaksWords: a word that is longer than a line is continued in the next one.
    package init(_ text: String, indent: Int = 0, width: Int = Self.width, breaksWords: Bool = false) {
        var lines: [String] = []
        var line = String(repeating: " ", count: indent)
        var isFresh = true
        func begin() {
            lines.append(line)
            line = String(repeating: " ", count: indent + 4)
            isFresh = true
        }
        for word in text.split(separator: " ") {
            if !isFresh && line.columns + 1 + word.columns > width { begin() }
            var rest = word
            while breaksWords, isFresh, line.columns + rest.columns > width {
                let part = rest.prefix(columns: width - line.columns)
                line += part
                rest = rest[part.endIndex...]
                begin()
            }
            line += isFresh ? String(rest) : " " + rest
            isFresh = false
        }
        self.lines = isFresh ? lines : lines + [line]
    }
}
