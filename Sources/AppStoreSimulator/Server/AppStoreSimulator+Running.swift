// SPDX-License-Identifier: Apache-2.0

import ServiceLifecycle

extension AppStoreSimulator {
    /// Runs a simulator for as long as `body` takes, and stops it.
    package static func withRunning<Result>(
        configuration: SimulatorConfiguration = SimulatorConfiguration(),
        _ body: (AppStoreSimulator) async throws -> Result
    ) async throws -> Result {
        let simulator = try AppStoreSimulator(configuration: configuration)
        let group = ServiceGroup(configuration: .init(services: [simulator], logger: simulator.serverLogger))
        // A task of its own, which is shut down and never cancelled: a connection that is just being accepted would crash a cancelled
        // server (NIOAsyncWriter).
        let running = Task { try await group.run() }
        let result: Result
        do {
            try await simulator.started()
            result = try await body(simulator)
        } catch {
            await group.triggerGracefulShutdown()
            // Why it didn't start.
            if case .failure(let failure as CannotListen) = await running.result { throw failure }
            throw error
        }
        await group.triggerGracefulShutdown()
        try await running.value
        return result
    }
}
