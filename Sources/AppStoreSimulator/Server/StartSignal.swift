// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// Lets tasks wait until every listener is bound, and keeps the ports.
final class StartSignal: Sendable {
    private struct State {
        var ports: [Listener: Int] = [:]
        var hasEnded = false
        var waiters: [AsyncStream<Void>.Continuation] = []

        var isStarted: Bool { ports.count == Listener.allCases.count }
    }

    private let state = Mutex(State())

    /// The port that a listener is bound to; nil before.
    func port(of listener: Listener) -> Int? {
        state.withLock { $0.ports[listener] }
    }

    func bound(_ listener: Listener, to port: Int) {
        state.withLock { state in
            state.ports[listener] = port
            if state.isStarted { Self.wake(&state) }
        }
    }

    /// Says that nothing will be bound any more.
    func ended() {
        state.withLock { state in
            state.hasEnded = true
            Self.wake(&state)
        }
    }

    /// Returns when every listener is bound.
    ///
    /// - Throws: `CancellationError` when the task is cancelled, or the simulator ended, before that.
    func wait() async throws {
        let (stream, continuation) = AsyncStream<Void>.makeStream()
        state.withLock { state in
            state.waiters.append(continuation)
            if state.isStarted || state.hasEnded { Self.wake(&state) }
        }
        for await _ in stream {}
        guard state.withLock(\.isStarted) else { throw CancellationError() }
    }

    private static func wake(_ state: inout State) {
        for waiter in state.waiters { waiter.finish() }
        state.waiters = []
    }
}
