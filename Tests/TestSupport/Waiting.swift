// SPDX-License-Identifier: Apache-2.0

/// Waits until a condition holds, and asks every 10 ms: for what reports no event. Nothing else in the tests sleeps.
///
/// - Parameter what: is told when it doesn't come true.
package func eventually(
    _ what: String, within limit: Duration = .seconds(60), _ condition: () async throws -> Bool
) async throws {
    let deadline = ContinuousClock.now + limit
    while try await !condition() {
        guard ContinuousClock.now < deadline else { throw WaitingTooLong(condition: what) }
        try await Task.sleep(for: .milliseconds(10))
    }
}

/// Hangs until the task is cancelled.
package func untilCancelled() async {
    let (stream, continuation) = AsyncStream.makeStream(of: Never.self)
    for await _ in stream {}
    withExtendedLifetime(continuation) {}
}
