// SPDX-License-Identifier: Apache-2.0

package import Postgres

extension PostgresConnection {
    /// Waits until a condition in SQL holds; the server does the waiting, looking every 5 ms.
    ///
    /// - Parameter condition: an expression, such as `exists (select from …)`.
    /// - Throws: when it doesn't hold within `timeout`.
    package nonisolated func waitUntil(
        _ condition: String,
        _ parameters: [PostgresParameter] = [],
        timeout: Duration = .seconds(30)
    ) async throws {
        let deadline = ContinuousClock.now + timeout
        while ContinuousClock.now < deadline {
            let result = try await execute("select (\(condition)), pg_sleep(0.005)", parameters)
            if try result[0].optionalBool(0) == true {
                return
            }
        }
        throw WaitingTooLong(condition: condition)
    }
}

/// A condition that a test waits for did not come true.
package struct WaitingTooLong: Error, CustomStringConvertible {
    let condition: String

    package var description: String { "this did not come true in time: \(condition)" }
}
