// SPDX-License-Identifier: Apache-2.0

import AppStoreSimulator
import ArgumentParser
import EventSources
import FoundationEssentials
import Logging
import Observability
import ServiceLifecycle

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

struct SimulatorCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "simulator",
        abstract: "Runs a fake App Store on the loopback, for trying things out.",
        discussion: """
            Answers verifyReceipt and the App Store Server API over HTTPS, signs transactions and makes receipts, and \
            lets calls go wrong on demand. Its keys are made at each start and trusted by nobody who isn't told to: it \
            prints the variables that make a worker trust it. Needs no database. SIGTERM and SIGINT stop it.
            """
    )

    @Option(help: "The folder for its certificates; made when it isn't there.")
    var folder: String

    @Option(help: "The port that stands for Apple's production; 0 takes a free one.")
    var productionPort = 0

    @Option(help: "The port that stands for Apple's sandbox; 0 takes a free one.")
    var sandboxPort = 0

    @Option(help: "An app that it vouches for in the variables printed; may be given several times.")
    var bundle = ["com.example.app"]

    func run() async throws {
        let assembly = try Assembly()
        var configuration = SimulatorConfiguration()
        configuration.productionPort = productionPort
        configuration.sandboxPort = sandboxPort
        let simulator = try AppStoreSimulator(configuration: configuration, logger: assembly.logger)
        let files = SimulatorFiles(folder: folder)
        try files.write(simulator)

        let signals = SignalSource([.terminate, .interrupt])
        await signals.ready()
        let group = ServiceGroup(configuration: .init(services: [simulator], logger: assembly.logger))
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            tasks.addTask {
                for await _ in signals {
                    await group.triggerGracefulShutdown()
                }
            }
            tasks.addTask {
                try await simulator.started()
                print(files.guide(to: simulator, bundleIDs: bundle))
                // Whoever reads a pipe waits for it.
                fflush(nil)
            }
            defer { tasks.cancelAll() }
            try await group.run()
        }
    }
}
