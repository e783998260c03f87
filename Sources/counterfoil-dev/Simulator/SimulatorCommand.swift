// SPDX-License-Identifier: Apache-2.0

import AppStoreSimulator
import ArgumentParser
import CommandSupport
import EventSources
import Glibc
import Logging
import ServiceLifecycle

struct SimulatorCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "simulator",
        abstract: "Runs a fake App Store on the loopback.",
        discussion: """
            The simulator answers verifyReceipt and the App Store Server API over HTTPS, signs transactions, makes receipts, \
            and lets calls fail on demand. It makes its keys at each start; only a worker with the printed variables trusts \
            them. It needs no database. SIGTERM and SIGINT stop it.
            """
    )

    @Option(help: "The folder for its certificates and its key. The simulator makes it if it is missing.")
    var folder: String

    @Option(help: "The port of the fake production environment; 0 takes a free one.")
    var productionPort = 0

    @Option(help: "The port of the fake sandbox; 0 takes a free one.")
    var sandboxPort = 0

    @Option(help: "An app whose purchases a worker with the printed variables accepts. Repeat it for several apps.")
    var bundle = ["com.example.app"]

    func run() async throws {
        let logger = try Settings.read().makeLogger(level: .warning)
        var configuration = SimulatorConfiguration()
        configuration.productionPort = productionPort
        configuration.sandboxPort = sandboxPort
        let simulator = try AppStoreSimulator(configuration: configuration, logger: logger)
        let files = SimulatorFiles(folder: folder)
        try files.write(simulator)

        let signals = SignalSource([.terminate, .interrupt])
        await signals.ready()
        let group = ServiceGroup(configuration: .init(services: [simulator], logger: logger))
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
            do {
                try await group.run()
            } catch let error as AppStoreSimulator.CannotListen {
                throw CommandFailure(.cannotListen, error.description)
            }
        }
    }
}
