// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// Remembers chains that passed, so that the next proof under the same chain costs one signature check.
///
/// Apple signs with few leaves at a time. Only what passed enters, so forgers can't drive honest chains out. What is
/// remembered doesn't depend on time: validity is judged again at every use.
final class ValidatedChainCache<Key: Hashable & Sendable>: Sendable {
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

    /// The chain remembered under a key.
    func chain(for key: Key) -> ValidatedChain? {
        state.withLock { state in
            guard let index = state.entries.index(forKey: key) else { return nil }
            state.uses += 1
            state.entries.values[index].lastUse = state.uses
            return state.entries.values[index].chain
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
