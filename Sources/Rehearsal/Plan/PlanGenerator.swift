// SPDX-License-Identifier: Apache-2.0

import AppStoreSimulator

/// Numbers that are the same for the same seed, on every machine. Good for plans, not for keys.
package struct PlanGenerator: RandomNumberGenerator, Sendable {
    private var numbers: SeededGenerator

    package init(seed: UInt64) {
        numbers = SeededGenerator(seed: seed)
    }

    package mutating func next() -> UInt64 { numbers.next() }

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
