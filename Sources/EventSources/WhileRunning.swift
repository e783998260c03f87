// SPDX-License-Identifier: Apache-2.0

/// Runs `body` beside services, and cancels them at its end.
///
/// - Parameter services: each ends only by an error, which ends `body` as well, or when it is cancelled.
package func whileRunning<Success: Sendable>(
    _ services: [@Sendable () async throws -> Void], _ body: @escaping @Sendable () async throws -> Success
) async throws -> Success {
    try await withThrowingTaskGroup(of: Success?.self) { group in
        for service in services {
            group.addTask {
                try await service()
                return nil
            }
        }
        group.addTask { try await body() }
        defer { group.cancelAll() }
        while let result = try await group.next() {
            if let result { return result }
        }
        throw CancellationError()
    }
}
