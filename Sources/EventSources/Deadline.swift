// SPDX-License-Identifier: Apache-2.0

/// What was waited for didn't come in time.
package struct DeadlinePassed: Error, CustomStringConvertible {
    package let description: String
}

/// Runs `body` until a deadline at most.
///
/// - Throws: ``DeadlinePassed`` with what was waited for.
package func before<Success: Sendable>(
    _ deadline: ContinuousClock.Instant, waitingFor what: String, _ body: @escaping @Sendable () async throws -> Success
) async throws -> Success {
    try await withThrowingTaskGroup { group in
        group.addTask { try await body() }
        group.addTask {
            try await Task.sleep(until: deadline)
            throw DeadlinePassed(description: "\(what) did not come in time")
        }
        defer { group.cancelAll() }
        guard let success = try await group.next() else { preconditionFailure("a group of two has a next result") }
        return success
    }
}
