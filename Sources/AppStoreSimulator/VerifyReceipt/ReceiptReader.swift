// SPDX-License-Identifier: Apache-2.0

import Crypto
import Synchronization

/// Reads receipts, each one once while it is remembered.
///
/// The memory is bounded by the size of the receipts as they were sent. It has two generations: when the young one is
/// full it becomes the old one, and what was old is forgotten unless it was asked for again meanwhile.
final class ReceiptReader: Sendable {
    private struct Generation {
        var receipts: [SHA256.Digest: ReadReceipt] = [:]
        var size = 0
    }

    private struct State {
        var young = Generation()
        var old = Generation()
    }

    private let limits: ReceiptContents.Limits
    private let generationSize: Int
    private let state = Mutex(State())

    /// - Parameter size: bytes of base64 whose receipts are remembered.
    init(limits: ReceiptContents.Limits, size: Int) {
        self.limits = limits
        generationSize = size / 2
    }

    /// The receipt that `base64` holds. Two calls at the same moment may both read it; that does no harm.
    func read(_ base64: String) -> ReadReceipt {
        var text = base64
        let (key, size) = text.withUTF8 { (SHA256.hash(data: $0), $0.count) }
        if let known = state.withLock({ state in Self.lookUp(key, size: size, in: &state, full: generationSize) }) {
            return known
        }
        let receipt = ReadReceipt(base64: base64, limits: limits)
        state.withLock { Self.add(receipt, key: key, size: size, to: &$0, full: generationSize) }
        return receipt
    }

    private static func lookUp(_ key: SHA256.Digest, size: Int, in state: inout State, full: Int) -> ReadReceipt? {
        if let receipt = state.young.receipts[key] { return receipt }
        guard let receipt = state.old.receipts[key] else { return nil }
        add(receipt, key: key, size: size, to: &state, full: full)
        return receipt
    }

    private static func add(_ receipt: ReadReceipt, key: SHA256.Digest, size: Int, to state: inout State, full: Int) {
        if state.young.size + size > full {
            state.old = state.young
            state.young = Generation()
        }
        guard state.young.receipts.updateValue(receipt, forKey: key) == nil else { return }
        state.young.size += size
    }
}
