// SPDX-License-Identifier: Apache-2.0

/// Random numbers that a seed repeats (SplitMix64, public domain).
struct WorldDice: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) {
        state = seed
    }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    /// The seeds that a variable of the environment names: how many from the first on, or the first and the last, as `501-1000`.
    static func seeds(_ text: String?, otherwise count: UInt64) -> ClosedRange<UInt64> {
        let ends = (text ?? "").split(separator: "-").compactMap { UInt64($0) }
        return ends.count == 2 ? ends[0]...ends[1] : 1...(ends.first ?? count)
    }

    /// True once in `count` times.
    mutating func once(in count: Int) -> Bool {
        Int.random(in: 0..<count, using: &self) == 0
    }

    mutating func among(_ range: ClosedRange<Int>) -> Int {
        Int.random(in: range, using: &self)
    }

    mutating func pick<Element>(_ elements: [Element]) -> Element {
        elements[Int.random(in: elements.indices, using: &self)]
    }
}
