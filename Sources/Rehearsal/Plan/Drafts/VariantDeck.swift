// SPDX-License-Identifier: Apache-2.0

/// Variants that are dealt in random order, each once before any comes again.
package struct VariantDeck<Variant: Sendable>: Sendable {
    private let all: [Variant]
    private var left: ArraySlice<Variant> = []

    package init(_ all: [Variant]) {
        self.all = all
    }

    /// The next variants: `count`, or as many as are left before all are shuffled again.
    package mutating func draw(_ count: Int, using generator: inout PlanGenerator) -> [Variant] {
        if left.isEmpty { left = all.shuffled(using: &generator)[...] }
        defer { left = left.dropFirst(count) }
        return Array(left.prefix(count))
    }
}
