// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import CommandSupport
@testable import counterfoil

@Suite struct OutputTests {
    @Test func jsonKeepsTypesAndTheOrderOfFields() {
        let value = OutputValue.object([
            .init(name: "b", value: .integer(1)), .init(name: "a", value: .null),
            .init(name: "list", value: .array([.bool(true), .number(0.5), .time("2026-03-01T09:30:00Z")])),
        ])

        #expect(value.json == #"{"b":1,"a":null,"list":[true,0.5,"2026-03-01T09:30:00Z"]}"#)
    }

    @Test func jsonEscapesWhatItMust() {
        #expect(OutputValue.text("a\"b\\c\n\u{1}é").json == "\"a\\\"b\\\\c\\n\\u0001é\"")
    }

    @Test func tablesAreAlignedWithNumbersToTheRight() {
        let rows: [OutputValue] = [
            .object([.init(name: "id", value: .integer(7)), .init(name: "order", value: .text("a"))]),
            .object([.init(name: "id", value: .integer(1234)), .init(name: "order", value: .null)]),
        ]

        #expect(TextTable(rows).text == "  id  order\n   7  a\n1234")
    }

    @Test func whatWouldMoveATerminalsCursorIsEscaped() {
        #expect(OutputValue.text("a\u{1B}[2Jb\n").plainText == "a\\u{1b}[2Jb\\u{a}")
        // Nor turns around what follows it.
        #expect(OutputValue.text("a\u{202E}b").plainText == "a\\u{202e}b")
    }

    @Test(arguments: [
        (false, "counterfoil: no\nsecond line\n"), (true, "<3>counterfoil: no\n<3>second line\n"),
    ])
    func aFailureIsAnErrorInTheJournal(isJournal: Bool, text: String) {
        #expect(StandardErrorText.failure("counterfoil: no\nsecond line", isJournal: isJournal) == text)
    }

    @Test func detailsAreALineAField() {
        let value = OutputValue.object([
            .init(name: "id", value: .integer(7)), .init(name: "reason", value: .null),
            .init(name: "recovery", value: .bool(false)),
        ])

        #expect(TextTable.details(value) == "id        7\nreason\nrecovery  no")
    }
}
