// SPDX-License-Identifier: Apache-2.0

/// The results of one part of a benchmark.
final class Section: Codable, Sendable {
    let title: String
    let measurements: [Measurement]

    init(_ title: String, _ measurements: [Measurement]) {
        self.title = title
        self.measurements = measurements
    }

    /// For people: names in one column, figures beside them.
    var lines: [String] {
        let width = measurements.map(\.name.count).max() ?? 0
        return [title]
            + measurements.map { measurement in
                let name = measurement.name + String(repeating: " ", count: width - measurement.name.count)
                let figures = measurement.figures.map(\.description).joined(separator: ", ")
                return "  \(name)  \(figures)\(measurement.verdict)"
            }
    }
}
