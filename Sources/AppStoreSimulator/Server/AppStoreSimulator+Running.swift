// SPDX-License-Identifier: Apache-2.0

import Logging
package import ServiceLifecycle

extension AppStoreSimulator {
    /// Runs a simulator for as long as `body` takes, and stops it.
    package static func withRunning<Result>(
        configuration: SimulatorConfiguration = SimulatorConfiguration(),
        _ body: (AppStoreSimulator) async throws -> Result
    ) async throws -> Result {
        let simulator = try AppStoreSimulator(configuration: configuration)
        let group = ServiceGroup(configuration: .init(services: [simulator], logger: simulator.logger(atLeast: .warning)))
        return try await group.run {
            try await simulator.started()
            return try await body(simulator)
        }
    }
}

extension ServiceGroup {
    /// Runs for as long as `body` takes.
    ///
    /// The group is shut down and never cancelled: a connection that is just being accepted would crash a cancelled server
    /// (NIOAsyncWriter).
    ///
    /// - Throws: what `body` throws; ``AppStoreSimulator/CannotListen`` in its place, if that is why the group ended.
    package nonisolated func run<Result>(while body: () async throws -> Result) async throws -> Result {
        let running = Task { try await run() }
        let result: Result
        do {
            result = try await body()
        } catch {
            await triggerGracefulShutdown()
            if case .failure(let failure as AppStoreSimulator.CannotListen) = await running.result { throw failure }
            throw error
        }
        await triggerGracefulShutdown()
        try await running.value
        return result
    }
}
