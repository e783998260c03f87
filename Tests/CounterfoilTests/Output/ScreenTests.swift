// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Testing

@testable import CommandSupport
@testable import counterfoil

/// Lists as people see them: their width, ages and colours.
@Suite struct ScreenTests {
    private func object(_ fields: KeyValuePairs<String, OutputValue>) -> OutputValue {
        .object(fields.map { .init(name: $0.key, value: $0.value) })
    }

    @Test(arguments: [
        ("2026-03-01T12:00:00.4Z", "now"), ("2026-03-01T11:59:55.25Z", "5 s ago"), ("2026-03-01T11:57:00Z", "3 min ago"),
        ("2026-03-01T10:00:00Z", "2 h ago"), ("2026-02-25T12:00:00Z", "4 d ago"), ("2025-12-01T12:00:00Z", "2025-12-01"),
        ("2026-03-01T12:03:00Z", "in 3 min"), ("-infinity", "-infinity"), ("infinity", "infinity"),
    ])
    func aTimeIsAnAgeOnATerminal(time: String, age: String) throws {
        let now = try Date("2026-03-01T12:00:00Z", strategy: Date.ISO8601FormatStyle())

        #expect(Screen(now: now).text(.time(time)) == age)
    }

    @Test func aPipeGetsTheTimeItself() {
        #expect(Screen().text(.time("2026-03-01T11:59:55.123456Z")) == "2026-03-01T11:59:55Z")
        #expect(Screen().text(.time("-infinity")) == "-infinity")
    }

    /// Wide columns stand below their row.
    @Test(arguments: [80, 100])
    func noListIsWiderThanTheScreen(width: Int) {
        let rows = (1...3).map { number in
            object([
                "order_id": .text("order-\(number)-0123456789abcdef0123456789"), "state": .text("review"),
                "reason": .text("granted_to_another_account"), "created_at": .time("2026-03-01T11:59:55.123456Z"),
                "account_id": .text("account 0123456789"), "transaction_id": .text("2000000123456789"), "attempts": .integer(3),
                "why": .text(String(repeating: "an operator closed it ", count: 8)), "nothing": .null,
            ])
        }

        let lines = TextTable(rows, on: Screen(width: width)).text.split(separator: "\n")

        #expect(lines.allSatisfy { $0.count <= width }, "\(lines.joined(separator: "\n"))")
        #expect(lines[0].hasPrefix("order_id"))
        #expect(!lines[0].contains("nothing"))
        #expect(lines.contains { $0.contains("why=an operator closed it") })
        #expect(lines.filter { $0.contains("2000000123456789") }.count == 3)
    }

    /// What a customer, a shop or Apple may have written.
    private static let contents = [
        String(repeating: "a", count: 200), String(repeating: "漢字", count: 100), String(repeating: "e\u{301}\u{302}", count: 100),
        String(repeating: "👩🏽", count: 60), String(repeating: "🇩🇪", count: 60), String(repeating: "ק", count: 200),
        String(repeating: "\u{915}\u{94D}", count: 100), String(repeating: "\u{202E}\u{1B}[2J", count: 40),
        String(repeating: "ﾊ<script>　", count: 30), String(repeating: "word ", count: 60), String(repeating: "x\n", count: 100), "plain",
    ]

    @Test(arguments: [40, 80, 100], contents)
    func noContentMakesALineWiderThanTheScreen(width: Int, content: String) {
        let rows = [content, "short"].map { text in
            object([
                "reason": .text("bought_again_after_revocation"), "orders": .integer(12), "customers": .integer(3), "product_id": .text(text),
                "app_version": .text(text), "last_hour": .integer(0), "rising": .bool(false), "last_seen": .time("2026-03-01T11:59:55Z"),
                "first_seen": .time("2026-03-01T11:59:55Z"), "bundle_id": .text(text),
            ])
        }

        let text = TextTable(rows, on: Screen(width: width)).text

        for line in text.split(separator: "\n") { #expect(line.columns <= width, "\(line)") }
        // In whatever lines, nothing is lost.
        let joined = text.unicodeScalars.filter { !$0.properties.isWhitespace }.map(\.value)
        let whole = OutputValue.text(content).plainText.unicodeScalars.filter { !$0.properties.isWhitespace }.map(\.value)
        #expect(joined.firstRange(of: whole) != nil, "\(text)")
    }

    @Test(arguments: [
        ("plain", 5), ("漢字", 4), ("ﾊ", 1), ("Ａ", 2), ("e\u{301}", 1), ("👩", 2), ("❤\u{FE0F}", 2), ("한", 2), ("ä", 1), ("", 0),
    ])
    func aTerminalShowsWideCharactersInTwoColumns(text: String, columns: Int) {
        #expect(text.columns == columns)
    }

    /// A customer's id of 200 characters doesn't push the other rows' columns off the screen.
    @Test func aLongIdIsCutInItsRowAndStandsWholeBelowIt() {
        let long = String(repeating: "a", count: 200)
        let rows = [object(["id": .text(long), "state": .text("open")]), object(["id": .text("b"), "state": .text("open")])]

        let lines = TextTable(rows).text.split(separator: "\n")

        #expect(lines.count == 6)
        #expect(lines[1].hasPrefix(String(repeating: "a", count: 39) + "…  open"))
        #expect(lines[2...4].map { $0.drop { $0 == " " } }.joined(separator: "") == "id=" + long)
        #expect(lines[2...4].map(\.count) == [100, 100, 23])
        #expect(lines[5].hasPrefix("b ") && lines[5].hasSuffix("open"))
    }

    @Test func aStateHasItsColourWhereTheTerminalHasColours() {
        let row = object(["order_id": .text("o"), "state": .text("rejected")])

        #expect(TextTable([row], on: Screen(hasColour: true)).text.contains("\u{1B}[31mrejected\u{1B}[0m"))
        #expect(!TextTable([row], on: Screen()).text.contains("\u{1B}"))
        #expect(TextTable.details(row, on: Screen(hasColour: true)).contains("\u{1B}[31mrejected"))
    }

    /// An id that looks like a state is none, and a state that holds an escape isn't one of ours.
    @Test func nothingElseHasAColour() {
        let row = object(["order_id": .text("rejected"), "state": .text("\u{1B}[31mx")])

        #expect(!TextTable([row], on: Screen(hasColour: true)).text.contains("\u{1B}"))
    }

    @Test(arguments: [
        ("\u{1B}[2J", "\\u001b[2J"), ("\u{202E}", "\\u202e"), ("\u{7F}", "\\u007f"), ("\u{9B}", "\\u009b"), ("\u{2028}", "\\u2028"),
        ("\u{E0001}", "\\udb40\\udc01"), ("<script>", "<script>"), ("ä", "ä"),
    ])
    func jsonMovesNoTerminalEither(text: String, json: String) throws {
        let written = OutputValue.text(text).json
        // A program reads what was there.
        let read = try JSONDecoder().decode([String].self, from: Data("[\(written)]".utf8))

        #expect(written == "\"\(json)\"")
        #expect(read == [text])
    }
}
