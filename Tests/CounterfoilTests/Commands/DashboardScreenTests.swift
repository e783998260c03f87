// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import CommandSupport
@testable import counterfoil

/// The dashboard as text.
@Suite struct DashboardScreenTests {
    private func object(_ fields: KeyValuePairs<String, OutputValue>) -> OutputValue {
        .object(fields.map { .init(name: $0.key, value: $0.value) })
    }

    private func screen(
        overview: OutputValue? = nil, health: [OutputValue] = [], granted: [Int64] = []
    ) -> DashboardScreen {
        DashboardScreen(
            overview: overview ?? object(["due_jobs": .integer(7), "p95_seconds": .number(0.25)]), health: health,
            minutes: granted.map { object(["fulfilled": .integer($0)]) })
    }

    @Test func itFitsInto80ColumnsWhateverItShows() {
        let large = object([
            "due_jobs": .integer(9_999_999_999), "running_jobs": .integer(9_999_999_999), "parked_jobs": .integer(9_999_999_999),
            "waiting_jobs": .integer(9_999_999_999), "as_of": .time("2026-03-01T09:30:00.123456Z"),
            "counted_to": .time("2026-03-01T09:30:00Z"),
        ])
        let trouble = object([
            "subject": .text(String(repeating: "s", count: 100)), "level": .text("critical"),
            "finding": .text(String(repeating: "f", count: 300)), "mend": .text(String(repeating: "m", count: 300)),
        ])

        let lines = screen(overview: large, health: [trouble], granted: Array(0..<60)).lines

        #expect(lines.allSatisfy { $0.count <= 80 })
        #expect(lines.contains { $0.hasPrefix("CRITICAL") })
    }

    @Test func figuresStandBesideTheirNames() {
        let lines = screen().lines

        #expect(lines.contains { $0.contains("due            7".suffix(10)) && $0.hasPrefix("jobs") })
        #expect(lines.contains { $0.hasPrefix("seconds") && $0.contains("0.25") })
        #expect(lines.contains("health    all is well"))
    }

    @Test func fourFiguresOfSixDigitsStandInALine() {
        let overview = object([
            "due_jobs": .integer(12), "running_jobs": .integer(345_678), "parked_jobs": .integer(10_000),
            "waiting_jobs": .integer(123_456), "closed_gates": .integer(2), "oldest_due_seconds": .number(3600),
        ])

        let lines = screen(overview: overview).lines

        #expect(lines.contains { $0.hasPrefix("jobs") && $0.hasSuffix("123456+") && $0.contains("10000+") && $0.count == 80 })
        #expect(lines.contains { $0.hasPrefix("workers") && $0.hasSuffix("2") })
        #expect(lines.contains { $0.hasPrefix("seconds") && $0.hasSuffix("3600") })
        #expect(!lines.contains { $0.contains("…") })
    }

    @Test func aLowTerminalShowsTheFiguresAndHowMuchMoreThereIs() {
        let trouble = object([
            "subject": .text("parked jobs"), "level": .text("critical"), "finding": .text("many"), "mend": .text("mend it"),
        ])
        let screen = screen(health: Array(repeating: trouble, count: 40))

        let lines = screen.lines(atMost: 24)

        #expect(lines.count == 24)
        #expect(lines.dropLast() == screen.lines.prefix(23))
        #expect(lines.last == "… and \(screen.lines.count - 23) lines more: counterfoil dashboard --once")
        #expect(screen.lines(atMost: nil) == screen.lines)
        #expect(screen.lines(atMost: screen.lines.count) == screen.lines)
    }

    @Test func howToMendItIsNotCutOff() {
        let mend = "counterfoil jobs list --state discarded shows why; counterfoil jobs retry or counterfoil jobs cancel decides"
        let trouble = object([
            "subject": .text("discarded jobs"), "level": .text("warning"), "finding": .text("3 were given up"),
            "mend": .text(mend),
        ])

        let lines = screen(health: [trouble]).lines

        #expect(lines.allSatisfy { $0.count <= 80 })
        #expect(lines.suffix(2).joined(separator: " ").split(separator: " ") == mend.split(separator: " "))
    }

    @Test func theHourIsDrawnAsBars() {
        let lines = screen(granted: [0, 1, 50, 100]).lines

        #expect(lines.contains("granted    ▁▅█"))
        #expect(lines.contains { $0.hasSuffix("at most 100") })
    }

    @Test func whatIsWellIsNotListed() {
        let well = object(["subject": .text("workers"), "level": .text("ok"), "finding": .text("2 alive"), "mend": .null])
        let ill = object([
            "subject": .text("oldest job"), "level": .text("warning"), "finding": .text("due for 00:02"),
            "mend": .text("start more workers"),
        ])

        let lines = screen(health: [ill, well]).lines

        #expect(lines.contains("WARNING oldest job: due for 00:02"))
        #expect(lines.contains("    start more workers"))
        #expect(!lines.contains { $0.contains("2 alive") })
    }
}
