// SPDX-License-Identifier: Apache-2.0

/// The calls of the control interface as a page for people, in lines of a terminal's width.
struct CallList {
    private static let width = 80
    private static let indent = "    "

    let calls: [(call: String, body: String, answer: String)]

    var text: String {
        let entries = calls.map { one in
            ([one.call] + Self.field("body", one.body) + Self.field("answer", one.answer)).joined(separator: "\n")
        }
        return (Self.introduction + entries).joined(separator: "\n\n") + "\n"
    }

    private static var introduction: [String] {
        let endpoints = wrapped(
            "{endpoint} is \(Endpoint.allCases.map(\.rawValue).joined(separator: ", ")).", first: "", rest: indent)
        return [
            """
            The simulator's calls. Bodies and answers are JSON; dates are in ISO 8601.
            A field with a question mark may be left out. For example:
            curl --cacert AUTHORITY URL/simulator/transactions -d '{"productId": "coins"}'
            """,
            (endpoints + ["{environment} is production or sandbox."]).joined(separator: "\n"),
        ]
    }

    /// The lines of a call's body or answer; none for an empty one.
    private static func field(_ name: String, _ text: String) -> [String] {
        guard !text.isEmpty else { return [] }
        let label = indent + name + String(repeating: " ", count: 8 - name.count)
        return wrapped(text, first: label, rest: String(repeating: " ", count: label.count + 1))
    }

    /// A text in lines that break between words.
    private static func wrapped(_ text: String, first: String, rest: String) -> [String] {
        var lines = [first]
        var isFresh = true
        for word in text.split(separator: " ") {
            if !isFresh, lines[lines.count - 1].count + 1 + word.count > width {
                lines.append(rest)
                isFresh = true
            }
            lines[lines.count - 1] += isFresh ? String(word) : " " + word
            isFresh = false
        }
        return lines
    }
}
