// SPDX-License-Identifier: Apache-2.0

import CommandSupport
import Delivering
import Glibc
import Logging
import Observability
import VerificationQueue

/// A deliverer's life as a process: asked to stop, it ends the step that it is at.
struct DelivererRun {
    let assembly: Assembly
    let plan: DeliveryPlan

    func run() async throws {
        // Whoever reads the log may go away; that is no reason to stop.
        signal(SIGPIPE, SIG_IGN)
        assembly.warnOfUnknownVariables()
        let registry = assembly.makeRegistry(Metric.ofDeliverers)
        let metrics = registry.map { DelivererMetrics(factory: $0, version: Version.current) }
        let deliverer = Deliverer(
            try assembly.makeDatabaseConfiguration(), plan: plan, logger: assembly.logger, metrics: metrics)
        try await ProgramRun(
            assembly: assembly, service: deliverer, readiness: deliverer.readiness, state: { ProgramState(deliverer.snapshot()) },
            registry: registry, updateGauges: { deliverer.updateGauges() }, serviceLogLevel: .critical, stopping: "stopping",
            stoppedAtOnce: "the database rolls back what isn't committed"
        ).run()
    }
}
