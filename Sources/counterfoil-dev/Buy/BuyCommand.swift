// SPDX-License-Identifier: Apache-2.0

import AppStoreSimulator
import ArgumentParser
import CommandSupport
import EventSources
import FoundationEssentials
import Logging
import Postgres
import Rehearsal

/// One purchase on the installation that `up` runs, for whoever wants to see what a backend does.
struct BuyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "buy",
        abstract: "Plays one purchase and its refund on what up runs, and shows each statement of the backend.",
        discussion: """
            The simulated App Store signs a purchase. The command sends what a backend sends, as the role counterfoil_backend, \
            and prints each statement with its answer; with --over http each request to the gateway. Then Apple refunds the \
            purchase. It uses the newest installation of this user's whose folder is in TMPDIR or /tmp.
            """
    )

    @Argument(help: ArgumentHelp("What to buy: \(Self.products).", valueName: "product"))
    var product = ShopProduct.coins.productID

    @Option(help: "What the backend speaks: sql or http.")
    var over = Door.sql

    private static let products = ShopProduct.listed.map(\.productID).joined(separator: ", ")

    func run() async throws {
        guard let bought = ShopProduct.listed.first(where: { $0.productID == product }) else {
            throw CommandFailure(.usage, "no product is called \(product): there are \(Self.products)")
        }
        let installation = try RunningInstallation.find(in: TemporaryPlace().parent)
        guard let url = installation.urls["counterfoil_backend"],
            let authority = FileManager.default.contents(atPath: installation.tlsRoot)
        else {
            throw CommandFailure(.databaseUnavailable, "the installation has just been stopped")
        }
        let trustRoot = String(decoding: authority, as: UTF8.self)
        try await SimulatorControl.with(url: installation.simulatorURL, trustRoot: trustRoot) { store in
            switch over {
            case .http:
                guard let gateway = installation.gateway else {
                    throw CommandFailure(.databaseUnavailable, "the newest installation has no gateway: start one with up")
                }
                try await HTTPPurchaseStory.play(bought, store, gateway, trustRoot: trustRoot)
            case .sql:
                let logger = Logger(label: "counterfoil.dev") { _ in SwiftLogNoOpLogHandler() }
                let connection = try await PostgresConnection.connect(PostgresConfiguration(url: url), logger: logger)
                try await endingLast(connection.close) {
                    try await PurchaseStory(product: bought, backend: connection, store: store).play()
                }
            }
        }
    }
}
