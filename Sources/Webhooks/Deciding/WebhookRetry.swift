// SPDX-License-Identifier: Apache-2.0

/// When an event is tried again that its endpoint didn't handle.
///
/// | failed tries | delay | failed tries | delay |
/// |---|---|---|---|
/// | 1 | 5 s | 6 | 10 h |
/// | 2 | 5 min | 7 | 14 h |
/// | 3 | 30 min | 8 | 20 h |
/// | 4 | 2 h | 9 | 24 h |
/// | 5 | 5 h | 10 | none: it is given up |
///
/// Each is a tenth shorter or longer at random, so that what failed together doesn't come back together.
package struct WebhookRetry: Sendable, Equatable {
    private static let delays: [Duration] =
        [.seconds(5), .seconds(300), .seconds(1800)] + [2, 5, 10, 14, 20, 24].map { .seconds($0 * 3600) }
    private static let jitter = 0.1

    /// Until the next try. After the last one too: an endpoint that takes nothing goes on being tried.
    package let delay: Duration
    /// No further try is meant for this event.
    package let isLast: Bool

    /// - Parameters:
    ///   - failures: tries that failed, this one included; 1 at least.
    ///   - chance: from -1 to 1.
    package init(after failures: Int, chance: Double) {
        let place = max(0, failures - 1)
        isLast = place >= Self.delays.count
        delay = Self.delays[min(place, Self.delays.count - 1)] * (1 + Self.jitter * min(1, max(-1, chance)))
    }
}
