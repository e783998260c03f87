// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// A clock on which every sleep is over at once, and which remembers how long each was to last.
final class RecordingClock: Clock {
    struct Instant: InstantProtocol {
        var offset: Duration
        func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }
        func duration(to other: Instant) -> Duration { other.offset - offset }
        static func < (left: Instant, right: Instant) -> Bool { left.offset < right.offset }
    }

    private let sleeps = Mutex<[Duration]>([])

    let minimumResolution = Duration.nanoseconds(1)
    var now: Instant { Instant(offset: .zero) }

    /// The sleeps so far, in order.
    var recorded: [Duration] { sleeps.withLock { $0 } }

    func sleep(until deadline: Instant, tolerance: Duration?) async throws {
        sleeps.withLock { $0.append(deadline.offset) }
    }
}
