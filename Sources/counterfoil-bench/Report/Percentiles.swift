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
}
