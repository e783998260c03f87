// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import CommandSupport
@testable import counterfoil

/// What is read on a terminal of 80 columns.
@Suite struct WrappedTextTests {
    private let sentence = String(repeating: "word ", count: 40) + "end"

    @Test func linesBreakBetweenWordsAndLoseNone() {
        let lines = WrappedText(sentence, indent: 4).lines

        #expect(lines.count == 3)
        #expect(lines.allSatisfy { $0.count <= 80 })
        #expect(lines[0].hasPrefix("    word") && lines[1].hasPrefix("        word"))
        #expect(lines.joined(separator: " ").split(separator: " ") == sentence.split(separator: " "))
    }

    @Test func aLineThatIsJustFullStaysOne() {
        #expect(WrappedText(String(repeating: "a", count: 75) + " bcde").lines.count == 1)
        #expect(WrappedText(String(repeating: "a", count: 76) + " bcde").lines.count == 2)
    }

    @Test func aLongWordHasALineOfItsOwn() {
        let word = String(repeating: "x", count: 200)

        #expect(WrappedText("see \(word) there").lines == ["see", "    " + word, "    there"])
    }

    @Test func aLongWordIsContinuedWhereNoLineMayBeWider() {
        let word = String(repeating: "x", count: 200)
        let full = String(repeating: "x", count: 76)

        let lines = WrappedText("see \(word) there", breaksWords: true).lines

        #expect(lines == ["see", "    \(full)", "    \(full)", "    \(word.prefix(48)) there"])
    }

    @Test func nothingIsNoLine() {
        #expect(WrappedText("", indent: 4).lines == [])
    }

    @Test func aStoryNamesWhoAndWhyAndThenWhatIsKnown() {
        let event = OutputValue.object([
            .init(name: "at", value: .time("2026-03-01T09:30:00Z")), .init(name: "event", value: .text("retried")),
            .init(name: "who", value: .text("worker 1")), .init(name: "reason", value: .text("app_store_unavailable")),
            .init(name: "in_words", value: .text("Apple could not be reached")),
            .init(name: "detail", value: .text(sentence)),
        ])
        let plain = OutputValue.object([
            .init(name: "at", value: .time("2026-03-01T09:30:01Z")), .init(name: "event", value: .text("granted")),
            .init(name: "who", value: .null), .init(name: "reason", value: .null), .init(name: "in_words", value: .null),
            .init(name: "detail", value: .text("1 of coins")),
        ])

        let lines = StoryText(events: [event, plain]).lines

        #expect(
            lines.prefix(2) == [
                "2026-03-01T09:30:00Z retried by worker 1: app_store_unavailable", "    Apple could not be reached",
            ])
        #expect(lines.suffix(2) == ["2026-03-01T09:30:01Z granted", "    1 of coins"])
        #expect(lines.allSatisfy { $0.count <= 80 })
    }
}
