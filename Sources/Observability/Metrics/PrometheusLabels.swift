// SPDX-License-Identifier: Apache-2.0

/// The labels of one member of a family, in the order of their names.
struct PrometheusLabels: Hashable, Sendable {
    private let pairs: [Pair]

    private struct Pair: Hashable {
        let name: String
        let value: String
    }

    init(_ dimensions: [(String, String)]) {
        pairs = dimensions.map { Pair(name: $0.0, value: $0.1) }.sorted { $0.name < $1.name }
    }

    /// In braces; nothing where there are none.
    ///
    /// - Parameter bound: the `le` of a histogram's bucket.
    func text(bound: String? = nil) -> String {
        var all = pairs.map { "\($0.name)=\"\(Self.escaped($0.value))\"" }
        if let bound {
            all.append("le=\"\(bound)\"")
        }
        return all.isEmpty ? "" : "{" + all.joined(separator: ",") + "}"
    }

    /// For sorting.
    var key: String { text() }

    private static func escaped(_ value: String) -> String {
        PrometheusText.escaped(value, quotes: true)
    }
}
