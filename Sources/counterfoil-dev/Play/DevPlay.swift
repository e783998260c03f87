// SPDX-License-Identifier: Apache-2.0

import AppStoreSimulator
import FoundationEssentials
import Postgres
import Rehearsal

/// Plays a plan in an environment whose workers run, until all players and the queue have come to rest.
struct DevPlay: Sendable {
    /// Purchases that begin in a second.
    static let rate = 80.0
    /// How long an order may take, from the last player's beginning; an hour's outage is not in the mix.
    static let patience = Duration.seconds(150)

    let plan: PurchasePlan
    let environment: DevEnvironment

    /// Seconds from the first purchase to the last.
    private var span: Double { max(3, Double(plan.purchases.count) / Self.rate) }

    /// - Returns: what each player met with, by the number of its purchase.
    func run(_ progress: Progress) async throws -> [Int: PlayRecord] {
        let start = ContinuousClock.now
        let now = Date()
        environment.simulator.setFaults(FaultSchedule.verifyReceipt(from: now, span: span), for: .verifyReceipt)
        for endpoint in [Endpoint.getTransactionInfo, .finishTransaction] {
            environment.simulator.setFaults(FaultSchedule.serverAPI(from: now, span: span), for: endpoint)
        }
        return try await withThrowingTaskGroup(of: Void.self) { group in
            for app in ShopApp.ours where app.isMisconfiguredAtFirst {
                group.addTask { try await mend(app) }
            }
            defer { group.cancelAll() }
            return try await playPurchases(from: start, progress)
        }
    }

    private func playPurchases(from start: ContinuousClock.Instant, _ progress: Progress) async throws -> [Int: PlayRecord] {
        let deadline = start + .seconds(span) + Self.patience
        var kills = plan.kills[...]
        return try await withThrowingTaskGroup(of: (Int, PlayRecord).self) { group in
            for (begun, purchase) in plan.purchases.enumerated() {
                try await Task.sleep(until: start + .seconds(span * Double(begun) / Double(plan.purchases.count)))
                while let kill = kills.first, kill.purchasesBegun <= begun {
                    environment.fleet.killWorker(kill.worker)
                    kills = kills.dropFirst()
                }
                let player = Player(
                    purchase, shop: environment.shop, statuses: environment.statuses,
                    shopOperator: ShopOperator(pool: environment.support, overseer: environment.overseer),
                    simulator: environment.simulator,
                    deadline: deadline)
                group.addTask { [player] in
                    var player = player
                    let record = try await player.play()
                    progress.countOne()
                    return (purchase.number, record)
                }
            }
            var records: [Int: PlayRecord] = [:]
            for try await (number, record) in group { records[number] = record }
            return records
        }
    }

    /// Puts an app's credential right, as an operator would once the gate of a lane was closed for it.
    private func mend(_ app: ShopApp) async throws {
        let database = environment.overseer
        while try await !database.execute(RehearsalSQL.findConfigurationFault, [.text(app.bundleID)])[0].bool(0) {
            try await Task.sleep(for: .milliseconds(100))
        }
        if app.insistsOnSharedSecret, let secret = environment.sharedSecrets[app] {
            try environment.folder.writeSharedSecret(secret, of: app)
        }
        if app.account != AppStoreSimulator.mainAccount {
            let key = environment.simulator.apiKey(ofAccount: app.account)
            try environment.folder.writeServerAPIKey(key.credential, of: app)
        }
    }
}
