// SPDX-License-Identifier: Apache-2.0

/// Measured values in order of size.
struct Percentiles: Sendable {
    private let values: [Double]

    init(_ values: [Double]) {
        self.values = values.sorted()
    }

    var count: Int { values.count }
    var median: Double { self[50] }

    /// The smallest value that at least so many of a hundred don't exceed; not a number when there is none.
    subscript(percent: Double) -> Double {
        guard !values.isEmpty else { return .nan }
        let rank = Int((percent / 100 * Double(values.count)).rounded(.up))
        return values[min(max(rank, 1), values.count) - 1]
    }

    /// How many, and how large they are: `120, median 3 ms, 99 of 100 under 9 ms, worst 12 ms`.
    func summary(_ format: (Double) -> String) -> String {
        "\(count), median \(format(median)), 99 of 100 under \(format(self[99])), worst \(format(self[100]))"
    }
}
