// SPDX-License-Identifier: Apache-2.0

extension SocketReadiness {
    package enum Direction: Sendable {
        case readable
        case writable
    }

    /// Why ``wait(for:until:)`` returned.
    package enum WaitResult: Sendable {
        case ready
        case timedOut
        case cancelled
    }

    /// Waits for one event, then stops watching the socket for good: the way to poll a socket that may be replaced.
    ///
    /// Returns early, at `deadline` or when the task is cancelled. The socket itself stays open.
    package func wait(for direction: Direction, until deadline: ContinuousClock.Instant) async -> WaitResult {
        let race = ContinuationRace<WaitResult>()
        let timer = DeadlineTimer(executor: executor)
        timer.setHandler {
            race.finish(with: .timedOut)
        }
        timer.schedule(at: deadline)
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                race.install(continuation)
                switch direction {
                case .readable: onceReadable { race.finish(with: .ready) }
                case .writable: onceWritable { race.finish(with: .ready) }
                }
            }
        } onCancel: {
            race.finish(with: .cancelled)
        }
        timer.cancel()
        cancel()
        return result
    }
}
