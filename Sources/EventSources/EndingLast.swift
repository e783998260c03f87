// SPDX-License-Identifier: Apache-2.0

/// Runs `body`, then `end`, also after an error.
package func endingLast<Success: Sendable>(
    _ end: () async -> Void, _ body: () async throws -> Success
) async throws -> Success {
    do {
        let success = try await body()
        await end()
        return success
    } catch {
        await end()
        throw error
    }
}
