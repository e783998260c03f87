// SPDX-License-Identifier: Apache-2.0

package import Logging
import Synchronization

/// The signals of some channels, received on a connection of its own that is remade when it breaks.
///
/// Signals are hints. Those that are sent while there is no connection are lost: ``Element/reconnected`` tells of each new
/// connection. A connection that looks well but delivers nothing (a pooler in transaction mode, a
/// half-open socket, a replica) is found out by signals that the listener sends to itself, first of all and then
/// every ``probeInterval``. Connecting, probing and reconnecting happen while a task waits in `next()`, and there only.
///
/// The sequence doesn't end by itself; it ends when the task is cancelled. One task iterates.
package final class PostgresListener: AsyncSequence, Sendable {
    package enum Element: Sendable, Hashable {
        case signal(PostgresSignal)
        /// Signals may have been missed up to now: a new connection listens (the first one too), or they came
        /// faster than they were taken.
        case reconnected
    }

    package typealias Failure = Never

    /// The time between two probes, and so how long a dead connection may go unnoticed at most. Default 30 s.
    package let probeInterval: Duration
    /// How long a probe may take to come back. Default 5 s.
    package let probeTimeout: Duration
    /// How long it may be without a connection that delivers before the log says so, once. Default 10 s: a server that is
    /// started again takes less.
    package let patience: Duration

    let configuration: PostgresConfiguration
    let channels: [String]
    let logger: Logger
    private let listening = Atomic<Bool>(false)

    /// - Parameter configuration: of a direct connection; a pooler in transaction mode cannot listen.
    package init(
        configuration: PostgresConfiguration,
        channels: [String],
        probeInterval: Duration = .seconds(30),
        probeTimeout: Duration = .seconds(5),
        patience: Duration = .seconds(10),
        logger: Logger
    ) {
        self.configuration = configuration
        self.channels = channels
        self.probeInterval = probeInterval
        self.probeTimeout = probeTimeout
        self.patience = patience
        self.logger = logger
    }

    /// Whether the last probe came back, so that signals can be expected to arrive.
    package var isListening: Bool { listening.load(ordering: .relaxed) }

    package func makeAsyncIterator() -> Iterator {
        Iterator(session: ListenerSession(listener: self))
    }

    func setListening(_ isListening: Bool) {
        listening.store(isListening, ordering: .relaxed)
    }

    package struct Iterator: AsyncIteratorProtocol {
        let session: ListenerSession

        /// Waits for the next element, through as many connections as it takes; nil once the task is cancelled.
        package mutating func next() async -> Element? {
            await session.next()
        }
    }
}
