// SPDX-License-Identifier: Apache-2.0

/// A sentence in lines of a terminal's width, broken between words.
package struct WrappedText {
    /// At most that many characters, unless a single word is longer.
    package static let width = 80

    package let lines: [String]

    /// - Parameter indent: spaces before each line; those after the first have it and four more.
    package init(_ text: String, indent: Int = 0, width: Int = Self.width) {
        var lines: [String] = []
        var line = String(repeating: " ", count: indent)
        var isFresh = true
        for word in text.split(separator: " ") {
            if !isFresh && line.count + 1 + word.count > width {
                lines.append(line)
                line = String(repeating: " ", count: indent + 4)
                isFresh = true
            }
            line += isFresh ? String(word) : " " + word
            isFresh = false
        }
        self.lines = isFresh ? lines : lines + [line]
    }
}
