// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Glibc

/// The signals that arrive at this process, of the kinds asked for.
///
/// From its creation on those kinds no longer end the process. From ``ready()`` on none is lost: those that come before the
/// first `next()` are kept. Equal signals that come close together may arrive as one, as the system has it. A kind belongs
/// to one source in the process: on Linux libdispatch takes signals through `signalfd`, and two of them would compete. One
/// task iterates.
package struct SignalSource: AsyncSequence, Sendable {
    package enum Signal: Sendable, CaseIterable {
        /// `SIGHUP`: by custom, read the configuration again.
        case hangup
        /// `SIGTERM`: stop.
        case terminate
        /// `SIGINT`: stop, from the keyboard.
        case interrupt

        fileprivate var number: Int32 {
            switch self {
            case .hangup: SIGHUP
            case .terminate: SIGTERM
            case .interrupt: SIGINT
            }
        }
    }

    package typealias Element = Signal
    package typealias Failure = Never

    private let signals: AsyncStream<Signal>
    private let queue = DispatchQueue(label: "counterfoil.signals")
    private let registrations = DispatchGroup()

    package init(_ kinds: Set<Signal>) {
        let (stream, continuation) = AsyncStream.makeStream(of: Signal.self, bufferingPolicy: .bufferingOldest(16))
        let sources = kinds.map { [queue, registrations] kind in
            // libdispatch installs its handler a moment after `activate()`; until then the default would end the process.
            // What another source has installed must stay, for libdispatch does it once for all.
            if let installed = signal(kind.number, SIG_IGN) {
                _ = signal(kind.number, installed)
            }
            registrations.enter()
            let source = DispatchSource.makeSignalSource(signal: kind.number, queue: queue)
            source.setEventHandler {
                continuation.yield(kind)
            }
            source.setRegistrationHandler {
                registrations.leave()
            }
            source.activate()
            return Source(source: source)
        }
        continuation.onTermination = { _ in
            for source in sources {
                source.source.cancel()
            }
        }
        signals = stream
    }

    /// Waits until the system delivers the signals here, which is a moment after the creation.
    package func ready() async {
        await withCheckedContinuation { continuation in
            registrations.notify(queue: queue) {
                continuation.resume()
            }
        }
    }

    package func makeAsyncIterator() -> AsyncStream<Signal>.Iterator {
        signals.makeAsyncIterator()
    }

    /// libdispatch's objects may be used from any thread; its Swift overlay just doesn't say so of the protocol.
    private struct Source: @unchecked Sendable {
        let source: any DispatchSourceSignal
    }
}
