// SPDX-License-Identifier: Apache-2.0

import EventSources
import Synchronization

/// Settlements that were refused or met a lock are settled one by one, by a task of their own.
extension Settler {
    /// Settles one by one what is refused or waits for somebody else's lock, until no task is left that settles batches.
    func settleApart() async {
        var failures = 0
        while !Task.isCancelled {
            let (part, isOver) = state.withLock { ($0.apart.take(at: .now), $0.apart.isOver) }
            if let part {
                await settle([part], failures: &failures)
                roomWasMade()
            } else if isOver {
                return
            } else {
                await waitApart()
            }
        }
    }

    private func waitApart() async {
        await withCheckedContinuation { continuation in
            let (waits, until) = state.withLock { state -> (Bool, ContinuousClock.Instant?) in
                if state.apart.hasWork(at: .now) || Task.isCancelled { return (false, nil) }
                state.waitingApart = continuation
                return (true, state.apart.waitsUntil)
            }
            if !waits {
                continuation.resume()
            } else if let until {
                pausing.schedule(at: until)
            }
        }
    }

    func wakeApart() {
        state.withLock { state in
            defer { state.waitingApart = nil }
            return state.waitingApart
        }?.resume()
    }

    func putApart(_ parts: [SettlementBatch]) {
        state.withLock { $0.apart.add(parts) }
        wakeApart()
    }
}
