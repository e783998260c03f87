// SPDX-License-Identifier: Apache-2.0

/// Always the lowest or always the highest of what may be drawn.
struct ExtremeGenerator: RandomNumberGenerator {
    static let lowest = ExtremeGenerator(value: .min)
    static let highest = ExtremeGenerator(value: .max)

    let value: UInt64

    mutating func next() -> UInt64 { value }
}
