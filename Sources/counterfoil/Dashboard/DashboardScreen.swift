// SPDX-License-Identifier: Apache-2.0

import CommandSupport

/// The overview as text for a terminal of 80 columns. A value: the command reads and draws.
struct DashboardScreen {
    static let width = WrappedText.width

    /// A row of the view `overview`.
    let overview: OutputValue
    /// Rows of the view `health`, the worst first.
    let health: [OutputValue]
    /// Attempts and grants of the last hour, oldest first: rows of `read_recent_minutes.sql`.
    let minutes: [OutputValue]

    /// Lines of at most ``width`` characters.
    var lines: [String] {
        ([title, ""] + counts + [""] + chart + [""] + troubles).map(Self.cut)
    }

    /// What of ``lines`` fits into a terminal of so many rows; the last one says what doesn't.
    func lines(atMost rows: Int?) -> [String] {
        let lines = lines
        guard let rows, rows > 0, lines.count > rows else { return lines }
        return lines.prefix(rows - 1) + [Self.cut("… and \(lines.count - rows + 1) lines more: counterfoil dashboard --once")]
    }

    /// For programs.
    var value: OutputValue {
        .object([
            .init(name: "overview", value: overview), .init(name: "health", value: .array(health)),
            .init(name: "minutes", value: .array(minutes)),
        ])
    }

    private var title: String {
        let text = "counterfoil  " + Self.moment(overview["as_of"])
        let counted = "counted to " + Self.moment(overview["counted_to"])
        return text + String(repeating: " ", count: max(2, Self.width - text.count - counted.count)) + counted
    }

    private var counts: [String] {
        [
            row(
                "jobs", [
                    ("due", "due_jobs"), ("running", "running_jobs"), ("parked", "parked_jobs"), ("waiting", "waiting_jobs"),
                ]),
            row(
                "to decide", [
                    ("discarded", "discarded_jobs"), ("review", "orders_in_review"), ("unclaimed", "paid_not_delivered"),
                ]),
            row(
                "5 minutes", [
                    ("attempts", "attempts_last_5_minutes"), ("granted", "fulfilled_last_5_minutes"),
                    ("rejected", "rejected_last_5_minutes"), ("failed", "failed_last_5_minutes"),
                ]),
            row(
                "seconds", [
                    ("grant p50", "p50_seconds"), ("grant p95", "p95_seconds"), ("grant p99", "p99_seconds"),
                    ("oldest due", "oldest_due_seconds"),
                ]),
            row(
                "workers", [
                    ("alive", "workers_alive"), ("silent", "workers_silent"), ("slots", "slots"), ("shut gates", "closed_gates"),
                ]),
        ]
    }

    /// `name      label      12345  label      12345 …`: ten columns, then four of sixteen with two between them.
    private func row(_ name: String, _ cells: [(label: String, field: String)]) -> String {
        let texts = cells.map { cell in
            let isCapped = Self.caps[cell.field].map { Self.integer(overview[cell.field]) >= $0 } ?? false
            let value = Self.number(overview[cell.field]) + (isCapped ? "+" : "")
            let space = 16 - cell.label.count - value.count
            return cell.label + String(repeating: " ", count: max(1, space)) + value
        }
        return name + String(repeating: " ", count: max(1, 10 - name.count)) + texts.joined(separator: "  ")
    }

    /// Where the view stops counting: so many, or more.
    private static let caps: [String: Int64] = [
        "due_jobs": 10_000, "parked_jobs": 10_000, "waiting_jobs": 10_000, "discarded_jobs": 10_000,
        "paid_not_delivered": 10_000, "orders_in_review": 1000,
    ]

    /// Grants a minute over the last hour, as bars of eight heights.
    private var chart: [String] {
        let granted = minutes.map { Self.integer($0["fulfilled"]) }
        let most = granted.max() ?? 0
        let bars = granted.map { count in
            let heights = Array("▁▂▃▄▅▆▇█")
            return count == 0 ? " " : heights[most == 0 ? 0 : Int((Double(count) / Double(most) * 7).rounded())]
        }
        return ["granted   \(String(bars))", "          a minute, the last hour; at most \(most)"]
    }

    private var troubles: [String] {
        let troubles = health.filter { $0["level"].plainText != "ok" }
        guard !troubles.isEmpty else { return ["health    all is well"] }
        return troubles.flatMap { trouble in
            WrappedText(
                trouble["level"].plainText.uppercased() + " " + trouble["subject"].plainText + ": "
                    + trouble["finding"].plainText
            ).lines + WrappedText(trouble["mend"].plainText, indent: 4).lines
        }
    }

    private static func cut(_ line: String) -> String {
        line.count <= width ? line : line.prefix(width - 1) + "…"
    }

    /// `2026-03-01 09:30:00Z`
    private static func moment(_ value: OutputValue) -> String {
        value == .null ? "" : String(value.plainText.prefix(19)).replacing("T", with: " ") + "Z"
    }

    private static func integer(_ value: OutputValue) -> Int64 {
        if case .integer(let count) = value { count } else { 0 }
    }

    /// Whole, or with a digit or two below ten; a dash for nothing.
    private static func number(_ value: OutputValue) -> String {
        switch value {
        case .integer(let count): String(count)
        case .number(let number) where number >= 10 || number == number.rounded(): String(Int64(number.rounded()))
        case .number(let number): String((number * 100).rounded() / 100)
        default: "-"
        }
    }
}

extension OutputValue {
    /// The field of an object; null where it has none.
    subscript(name: String) -> OutputValue {
        guard case .object(let fields) = self else { return .null }
        return fields.first { $0.name == name }?.value ?? .null
    }
}
