// SPDX-License-Identifier: Apache-2.0

/// Numbers that are the same for the same seed, on every machine (SplitMix64). Good for plans, not for keys.
package struct PlanGenerator: RandomNumberGenerator, Sendable {
    private var state: UInt64

    package init(seed: UInt64) {
        state = seed
    }

    package mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    /// True about once in `count` times.
    package mutating func oneIn(_ count: Int) -> Bool {
        Int.random(in: 0..<count, using: &self) == 0
    }

    package mutating func pick<Element>(_ elements: [Element]) -> Element {
        elements[Int.random(in: elements.indices, using: &self)]
    }

    package mutating func digits(_ count: Int) -> String {
        (0..<count).map { _ in String(Int.random(in: 0...9, using: &self)) }.joined()
    }

    package mutating func hexadecimal(_ count: Int) -> String {
        (0..<count).map { _ in String(Int.random(in: 0...15, using: &self), radix: 16) }.joined()
    }
}
