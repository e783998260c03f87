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
        return try await withThrowingTaskGroup(of: Void.self) { tasks in
            tasks.addTask { try await group.run() }
            try await simulator.started()
            let result = try await body(simulator)
            await group.triggerGracefulShutdown()
            try await tasks.waitForAll()
            return result
        }
    }
}
