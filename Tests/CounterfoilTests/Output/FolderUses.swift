// SPDX-License-Identifier: Apache-2.0

/// Which folders of a target use what others declare, by the names in their sources.
///
/// A folder uses another by a name that the other alone declares: that of a type, a function or a value at a file's top level, or
/// that of an extension's member after a dot. A name that several folders declare says nothing, and neither does a comment, a text
/// in three quotation marks, or an initializer.
struct FolderUses {
    private struct Word {
        let text: String
        /// After a dot.
        let isMember: Bool
        /// Before a colon.
        let isLabel: Bool
    }

    private static let keywords: Set<String> = [
        "struct", "class", "enum", "actor", "protocol", "typealias", "func", "let", "var",
    ]

    /// By the folder that uses them, and the one that declares them.
    private(set) var names: [String: [String: Set<String>]] = [:]

    init(_ files: [(folder: String, text: String)]) {
        let sources = files.map { ($0.folder, Self.lines(of: $0.text)) }
        /// The folders that declare a name of the top level, that declare a member in an extension, and that have a member or label
        /// of the name in any place.
        var types: [String: Set<String>] = [:]
        var members: [String: Set<String>] = [:]
        var others: [String: Set<String>] = [:]
        for (folder, lines) in sources {
            var isExtension = false
            for (indentation, words) in lines {
                if indentation == 0 { isExtension = words[0].text == "extension" }
                let declared = words.firstIndex { Self.keywords.contains($0.text) }.flatMap { words[($0 + 1)...].first }
                if let declared, indentation == 0 { types[declared.text, default: []].insert(folder) }
                if let declared, indentation == 4, isExtension { members[declared.text, default: []].insert(folder) }
                let isCase = words[0].text == "case"
                for (word, before) in zip(words.dropFirst(), words)
                where isCase || word.isLabel || Self.keywords.contains(before.text) {
                    others[word.text, default: []].insert(folder)
                }
            }
        }
        for (folder, lines) in sources {
            for word in lines.lazy.flatMap(\.words) {
                let isOfAMember = word.isMember && others[word.text].map { $0 == members[word.text] } ?? false
                let declaring = types[word.text] ?? (isOfAMember ? members[word.text] : nil) ?? []
                guard declaring.count == 1, let owner = declaring.first, owner != folder else { continue }
                names[folder, default: [:]][owner, default: []].insert(word.text)
            }
        }
    }

    /// The uses that go round in circles.
    var circles: [String] {
        var left = Set(names.keys)
        func used(by folder: String) -> Set<String> { left.intersection((names[folder] ?? [:]).keys) }
        while let free = left.first(where: { folder in
            used(by: folder).isEmpty || !left.contains { used(by: $0).contains(folder) }
        }) {
            left.remove(free)
        }
        return left.sorted().flatMap { folder in
            used(by: folder).sorted().map { owner in
                "\(folder) uses \((names[folder]?[owner] ?? []).sorted().joined(separator: ", ")) of \(owner)"
            }
        }
    }

    /// The lines that have a word of code.
    private static func lines(of text: String) -> [(indentation: Int, words: [Word])] {
        var isInText = false
        return text.split(separator: "\n").compactMap { line in
            if line.contains("\"\"\"") { isInText.toggle() }
            guard !isInText else { return nil }
            let bytes = Array(line.utf8)
            let slashes = bytes.indices.dropLast().first { bytes[$0] == UInt8(ascii: "/") && bytes[$0 + 1] == UInt8(ascii: "/") }
            let words = words(of: bytes[..<(slashes ?? bytes.count)])
            return words.isEmpty ? nil : (bytes.prefix { $0 == UInt8(ascii: " ") }.count, words)
        }
    }

    private static func words(of bytes: ArraySlice<UInt8>) -> [Word] {
        var words: [Word] = []
        var start = bytes.startIndex
        while let first = bytes[start...].firstIndex(where: isOfAName) {
            let end = bytes[first...].firstIndex { !isOfAName($0) } ?? bytes.endIndex
            words.append(
                Word(
                    text: String(decoding: bytes[first..<end], as: UTF8.self),
                    isMember: first > bytes.startIndex && bytes[first - 1] == UInt8(ascii: "."),
                    isLabel: end < bytes.endIndex && bytes[end] == UInt8(ascii: ":")))
            start = end
        }
        return words
    }

    private static func isOfAName(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
            UInt8(ascii: "_"):
            true
        default: false
        }
    }
}
