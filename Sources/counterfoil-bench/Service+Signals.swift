// SPDX-License-Identifier: Apache-2.0

import Logging
import ServiceLifecycle
import UnixSignals

extension Service {
    /// Runs until it is done. A signal ends it in order: processes are stopped, and folders are removed.
    func runUntilSignalled() async throws {
        try await ServiceGroup(
            configuration: ServiceGroupConfiguration(
                services: [.init(service: self, successTerminationBehavior: .gracefullyShutdownGroup)],
                cancellationSignals: [.sigint, .sigterm], logger: .bench)
        ).run()
    }
}
