// SPDX-License-Identifier: Apache-2.0

import ArgumentParser

/// What the numbers of a command line may be.
enum NumberBounds {
    /// - Throws: ``ValidationError``, which names the first option that is out of its bounds.
    static func check(_ options: [(name: String, value: Int, bounds: ClosedRange<Int>)]) throws {
        for (name, value, bounds) in options where !bounds.contains(value) {
            throw ValidationError("\(name) is from \(bounds.lowerBound) to \(bounds.upperBound).")
        }
    }
}
