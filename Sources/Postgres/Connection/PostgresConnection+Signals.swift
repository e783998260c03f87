// SPDX-License-Identifier: Apache-2.0

import CPostgres
import EventSources

extension PostgresConnection {
    /// Why ``nextSignal(until:)`` returned.
    enum SignalWait: Sendable {
        case element(SignalBuffer.Element)
        case timedOut
        case cancelled
        case closed(PostgresError)
    }

    /// Waits for the next signal of the channels that this connection listens to. One caller at a time.
    func nextSignal(until deadline: ContinuousClock.Instant) async -> SignalWait {
        if let element = signals.next() {
            return .element(element)
        }
        if machine.isClosed {
            return .closed(closingError ?? PostgresError(.connectionLost, message: "the connection is closed"))
        }
        let race = ContinuationRace<SignalWait>()
        let timer = DeadlineTimer(executor: executor)
        timer.setHandler {
            race.finish(with: .timedOut)
        }
        timer.schedule(at: deadline)
        signalWaiter = race
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                race.install(continuation)
            }
        } onCancel: {
            race.finish(with: .cancelled)
        }
        timer.cancel()
        signalWaiter = nil
        return result
    }

    /// Takes from libpq what has arrived.
    func readSignals(_ handle: ConnectionHandle) {
        while let pointer = PQnotifies(handle.pointer) {
            signals.append(
                PostgresSignal(
                    channel: String(cString: pointer.pointee.relname),
                    payload: String(cString: pointer.pointee.extra)
                )
            )
            PQfreemem(pointer)
        }
        wakeSignalWaiter()
    }

    private func wakeSignalWaiter() {
        guard let waiter = signalWaiter, let element = signals.next() else { return }
        signalWaiter = nil
        if !waiter.finish(with: .element(element)) {
            // It has just stopped waiting; the next caller gets it.
            signals.putBack(element)
        }
    }
}
