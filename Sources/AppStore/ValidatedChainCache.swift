// SPDX-License-Identifier: Apache-2.0

import Crypto
import Synchronization

/// Remembers chains that passed, so that the next transaction under the same chain costs one signature check.
///
/// Apple signs with few leaves at a time. Only chains that passed enter, so forgers can't drive honest ones out. What
/// is remembered doesn't depend on time: validity is judged again at every use.
final class ValidatedChainCache: Sendable {
    /// SHA-256 over the three certificates, each preceded by its length.
    struct Key: Hashable, Sendable {
        private let digest: SHA256Digest

        init(_ certificates: [[UInt8]]) {
            var hash = SHA256()
            for der in certificates {
                withUnsafeBytes(of: UInt64(der.count).bigEndian) { hash.update(bufferPointer: $0) }
                hash.update(data: der)
            }
            digest = hash.finalize()
        }
    }

    private struct State {
        var entries: [Key: (chain: ValidatedChain, lastUse: UInt64)] = [:]
        var uses: UInt64 = 0
    }

    private let capacity: Int
    private let state = Mutex(State())

    /// A cache of at most `capacity` chains; 0 remembers none.
    init(capacity: Int) {
        self.capacity = capacity
    }

    /// The chain remembered for these certificates.
    func chain(for key: Key) -> ValidatedChain? {
        state.withLock { state in
            guard let entry = state.entries[key] else { return nil }
            state.uses += 1
            state.entries[key] = (entry.chain, state.uses)
            return entry.chain
        }
    }

    /// Remembers a chain, in place of the one unused for longest when there is no room.
    func insert(_ chain: ValidatedChain, for key: Key) {
        guard capacity > 0 else { return }
        state.withLock { state in
            if state.entries[key] == nil, state.entries.count >= capacity,
                let oldest = state.entries.min(by: { $0.value.lastUse < $1.value.lastUse })?.key
            {
                state.entries[oldest] = nil
            }
            state.uses += 1
            state.entries[key] = (chain, state.uses)
        }
    }
}
