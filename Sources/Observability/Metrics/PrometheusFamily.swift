// SPDX-License-Identifier: Apache-2.0

/// A family of metrics as the exposition describes it. Only families that were described are exposed.
package struct PrometheusFamily: Sendable, Hashable {
    package enum Kind: Sendable, Hashable {
        case counter
        case gauge
        /// - Parameter bounds: upper bounds of the buckets, rising; one without a bound comes after them.
        case histogram(bounds: [Double])

        var name: String {
            switch self {
            case .counter: "counter"
            case .gauge: "gauge"
            case .histogram: "histogram"
            }
        }
    }

    package let name: String
    package let kind: Kind
    package let help: String

    package init(name: String, kind: Kind, help: String) {
        self.name = name
        self.kind = kind
        self.help = help
    }
}
