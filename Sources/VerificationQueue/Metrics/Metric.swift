// SPDX-License-Identifier: Apache-2.0

package import CoreMetrics

/// A family of metrics: its name, what it tells, and the labels that tell its members apart.
package struct Metric: Sendable, Hashable {
    package enum Kind: Sendable, Hashable {
        /// Only rises, until the process ends.
        case counter
        /// Rises and falls.
        case gauge
        /// Counts observations by size.
        ///
        /// - Parameter bounds: upper bounds of the buckets, in seconds, rising; the last bucket has none.
        case histogram(bounds: [Double])
    }

    package let name: String
    package let kind: Kind

    /// Each takes its values from a closed set, so that the number of members is known beforehand.
    package let labels: [String]

    /// A sentence for whoever reads the exposition.
    package let help: String

    init(_ name: String, _ kind: Kind, labels: [String] = [], _ help: String) {
        self.name = "counterfoil_" + name
        self.kind = kind
        self.labels = labels
        self.help = help
    }

    package func counter(_ factory: any MetricsFactory, _ values: String...) -> Counter {
        Counter(label: name, dimensions: dimensions(values), factory: factory)
    }

    package func gauge(_ factory: any MetricsFactory, _ values: String...) -> Meter {
        Meter(label: name, dimensions: dimensions(values), factory: factory)
    }

    func timer(_ factory: any MetricsFactory, _ values: String...) -> Timer {
        Timer(label: name, dimensions: dimensions(values), factory: factory)
    }

    private func dimensions(_ values: [String]) -> [(String, String)] {
        precondition(values.count == labels.count, "\(name) has other labels")
        return Array(zip(labels, values))
    }
}
