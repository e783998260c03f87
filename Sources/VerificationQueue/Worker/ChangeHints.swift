// SPDX-License-Identifier: Apache-2.0

/// Tells readers of the feed, after settlements, that it may have something new: at most once in ``pause``, and once after the
/// last.
///
/// A hint only. One that fails, or is lost with the worker, costs its readers the time until their next poll.
struct ChangeHints: Sendable {
    static let pause = Duration.milliseconds(50)

    /// Holds one hint: what is settled during a pause is one more.
    private let settlements: AsyncStream<Void>
    private let continuation: AsyncStream<Void>.Continuation

    init() {
        (settlements, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    /// Something was committed. Returns at once.
    func settled() {
        continuation.yield()
    }

    /// Sends hints until it is cancelled.
    func send(by signal: () async throws -> Void) async {
        for await _ in settlements {
            try? await signal()
            try? await Task.sleep(for: Self.pause)
        }
    }
}
