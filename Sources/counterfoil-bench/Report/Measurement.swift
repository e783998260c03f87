// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials

/// One line of the results: a name, its figures, and what they are measured against.
struct Measurement: Codable, Sendable {
    struct Figure: Codable, Sendable {
        let value: Double
        let unit: String
    }

    let name: String
    let figures: [Figure]
    /// What the first figure should be, in words; nil: there is no target.
    let target: String?
    /// Nil: there is no target, or what was measured is too unclear to say.
    let isMet: Bool?

    private init(_ name: String, _ figures: [Figure], target: String?, isMet: Bool?) {
        self.name = name
        self.figures = figures
        self.target = target
        self.isMet = isMet
    }

    init(_ name: String, _ figures: Figure...) {
        self.init(name, figures, target: nil, isMet: nil)
    }

    init(_ name: String, all figures: [Figure]) {
        self.init(name, figures, target: nil, isMet: nil)
    }

    init(_ name: String, _ figures: Figure..., atLeast bound: Double) {
        self.init(
            name, figures, target: "at least \(figures[0].withValue(bound))", isMet: figures[0].value >= bound)
    }

    init(_ name: String, _ figure: Figure, _ others: [Figure], atLeast bound: Double) {
        self.init(
            name, [figure] + others, target: "at least \(figure.withValue(bound))", isMet: figure.value >= bound)
    }

    init(_ name: String, _ figures: Figure..., below bound: Double) {
        self.init(name, figures, target: "below \(figures[0].withValue(bound))", isMet: figures[0].value < bound)
    }

    /// - Parameter isClear: whether what was measured allows a conclusion.
    init(_ name: String, _ figures: Figure..., atMost bound: Double, isClear: Bool = true) {
        self.init(
            name, figures, target: "at most \(figures[0].withValue(bound))",
            isMet: isClear ? figures[0].value <= bound : nil)
    }

    /// What is said of the target, for people.
    var verdict: String {
        guard let target else { return "" }
        return switch isMet {
        case true?: "   [\(target): met]"
        case false?: "   [\(target): MISSED]"
        case nil: "   [\(target): no conclusion, the rounds differ too much]"
        }
    }
}

extension Measurement.Figure {
    static func rate(_ value: Double) -> Self { Self(value: value, unit: "jobs/s") }
    static func share(_ value: Double) -> Self { Self(value: value, unit: "") }
    static func percent(_ value: Double) -> Self { Self(value: value * 100, unit: "%") }
    static func clientCPU(_ value: Double) -> Self { Self(value: value, unit: "µs client CPU a job") }
    static func serverCPU(_ value: Double) -> Self { Self(value: value, unit: "µs server CPU a job") }
    static func wal(_ value: Double) -> Self { Self(value: value, unit: "B WAL a job") }
    static func milliseconds(_ value: Double, _ what: String = "") -> Self {
        Self(value: value, unit: what.isEmpty ? "ms" : "ms \(what)")
    }
    static func microseconds(_ value: Double) -> Self { Self(value: value, unit: "µs") }
    static func memory(_ bytes: Int) -> Self { Self(value: Double(bytes) / 1e6, unit: "MB") }
    static func count(_ value: Double, _ what: String) -> Self { Self(value: value, unit: what) }

    func withValue(_ value: Double) -> String {
        Self(value: value, unit: unit).description
    }
}

extension Measurement.Figure: CustomStringConvertible {
    /// Three digits that mean something, with thousands set apart.
    var description: String {
        guard value.isFinite else { return unit.isEmpty ? "–" : "– \(unit)" }
        let size = abs(value)
        let places = size >= 100 || value == value.rounded() ? 0 : size >= 10 ? 1 : 2
        let scale = [1.0, 10, 100][places]
        let scaled = (size * scale).rounded()
        var whole = String(Int(scaled / scale))
        var grouped = ""
        while whole.count > 3 {
            grouped = "," + whole.suffix(3) + grouped
            whole.removeLast(3)
        }
        var text = (value < 0 ? "-" : "") + whole + grouped
        if places > 0 {
            let fraction = String(Int(scaled) % Int(scale))
            text += "." + String(repeating: "0", count: places - fraction.count) + fraction
        }
        return unit.isEmpty ? text : unit == "%" ? text + " %" : text + " " + unit
    }
}
