// SPDX-License-Identifier: Apache-2.0

/// Damages bytes at random, the same way for the same seed.
struct Mutator: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) {
        state = seed
    }

    /// xorshift64*, which is enough to choose where to hurt.
    mutating func next() -> UInt64 {
        state ^= state >> 12
        state ^= state << 25
        state ^= state >> 27
        return state &* 2_685_821_657_736_338_717
    }

    /// Another text than the one given: one to four bytes of it changed, dropped, doubled, or put elsewhere.
    mutating func damaged(_ bytes: [UInt8]) -> [UInt8] {
        var result = bytes
        repeat {
            for _ in 0..<Int.random(in: 1...4, using: &self) {
                damageOnce(&result)
            }
        } while result == bytes
        return result
    }

    private mutating func damageOnce(_ bytes: inout [UInt8]) {
        guard !bytes.isEmpty else {
            bytes.append(UInt8.random(in: 0...255, using: &self))
            return
        }
        let position = Int.random(in: 0..<bytes.count, using: &self)
        let other = Int.random(in: 0..<bytes.count, using: &self)
        switch Int.random(in: 0..<7, using: &self) {
        case 0: bytes[position] ^= 1 << UInt8.random(in: 0..<8, using: &self)
        case 1: bytes[position] = UInt8.random(in: 0...255, using: &self)
        case 2: bytes[position] = bytes[other]
        case 3: bytes.remove(at: position)
        case 4: bytes.insert(UInt8.random(in: 0x20...0x7E, using: &self), at: position)
        case 5: bytes.swapAt(position, other)
        default: bytes.removeSubrange(min(position, other)..<min(max(position, other), min(position, other) + 40))
        }
    }
}
