// SPDX-License-Identifier: Apache-2.0

import AppStoreSimulator
import FoundationEssentials
import Postgres
import Verification

/// The shop's apps, products and secrets, written to all places that must know them.
struct DevSetUp: Sendable {
    let plan: PurchasePlan
    /// What the App Store takes as each app's shared secret.
    let sharedSecrets: [DevApp: String]

    init(plan: PurchasePlan) {
        self.plan = plan
        var generator = PlanGenerator(seed: plan.seed)
        var secrets: [DevApp: String] = [:]
        for app in DevApp.ours { secrets[app] = generator.hexadecimal(32) }
        sharedSecrets = secrets
    }

    func write(to database: PostgresPool) async throws {
        for app in DevApp.ours {
            _ = try await database.execute(
                DevSQL.setUpApp,
                [
                    .text(app.bundleID), .text(app.sandboxPolicy), .int4(app.ledgerAge.map(Int32.init)),
                    .text(app.receiptRoute.rawValue), .bool(app.confirmsTransactions), .bool(app.finishesTransactions),
                ])
        }
        let products = DevApp.ours.flatMap { app in
            DevProduct.listed.map { (app.bundleID, $0.productID, $0.listedKind) }
        }
        _ = try await database.execute(
            DevSQL.setUpProducts,
            [.textArray(products.map(\.0)), .textArray(products.map(\.1)), .textArray(products.map(\.2))])
        let accounts = plan.purchases.flatMap { purchase in
            purchase.listedAccounts.map { (purchase.orders[0].app.bundleID, $0) }
        }
        _ = try await database.execute(
            DevSQL.setUpSandboxAccounts, [.textArray(accounts.map(\.0)), .textArray(accounts.map(\.1))])
    }

    /// Writes certificates and credentials; one app's secret and one account's key are wrong, as after an operator's slip.
    func write(to folder: DevFolder, _ simulator: AppStoreSimulator) throws {
        try folder.write(Data(simulator.tlsCertificateAuthorityPEM.utf8), to: folder.tlsRoot)
        try folder.write(Data(simulator.authority.rootCertificateDER), to: folder.transactionRoot)
        try folder.writeServerAPIKey(simulator.apiKey().credential)
        for app in DevApp.ours where app.account != AppStoreSimulator.mainAccount {
            let revoked = simulator.apiKey(ofAccount: app.account)
            simulator.replaceAPIKey(ofAccount: app.account)
            try folder.writeServerAPIKey(revoked.credential, of: app)
        }
        for (app, secret) in sharedSecrets {
            try folder.writeSharedSecret(app.insistsOnSharedSecret ? String(secret.reversed()) + "0" : secret, of: app)
        }
    }

    func register(with simulator: AppStoreSimulator) {
        for (app, secret) in sharedSecrets {
            simulator.registerApp(
                app.bundleID, sharedSecret: secret, insistsOnSharedSecret: app.insistsOnSharedSecret,
                account: app.account, isReleased: app.isReleased)
        }
        // What Apple allows each app: https://developer.apple.com/documentation/appstoreserverapi/identifying-rate-limits
        for endpoint in [Endpoint.getTransactionInfo, .finishTransaction] {
            simulator.setRateLimit(50, for: endpoint, in: .production)
            simulator.setRateLimit(5, for: endpoint, in: .sandbox)
        }
    }
}
