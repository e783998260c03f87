// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import EventSources

/// Ends what runs in the foreground when the terminal or the system asks for it.
enum Interruption {
    /// Runs `body`; SIGINT and SIGTERM cancel it, and what it returns all the same counts.
    ///
    /// - Parameter farewell: the last line that a person who interrupted it reads.
    /// - Throws: what `body` throws; the shell's exit code for SIGINT when it was interrupted and returned nothing.
    static func ending<Success: Sendable>(
        farewell: @autoclosure () -> String, _ body: @escaping @Sendable () async throws -> Success
    ) async throws -> Success {
        let signals = SignalSource([.interrupt, .terminate])
        await signals.ready()
        return try await withThrowingTaskGroup(of: Success?.self) { group in
            group.addTask {
                for await _ in signals { break }
                return nil
            }
            group.addTask { try await body() }
            guard let first = try await group.next() else { throw CancellationError() }
            group.cancelAll()
            if let success = first { return success }
            // Asked to end: what fails on the way out is of no interest.
            let late = try? await group.next()
            Console.note(farewell())
            if let late, let success = late { return success }
            throw ExitCode(130)
        }
    }
}
