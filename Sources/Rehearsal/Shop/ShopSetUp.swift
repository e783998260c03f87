// SPDX-License-Identifier: Apache-2.0

package import AppStoreSimulator
import FoundationEssentials
package import Postgres
import Verification

/// The shop's apps, products and secrets, written to all places that must know them.
package struct ShopSetUp: Sendable {
    package let plan: PurchasePlan
    /// What the App Store takes as each app's shared secret.
    package let sharedSecrets: [ShopApp: String]

    package init(plan: PurchasePlan) {
        self.plan = plan
        var generator = PlanGenerator(seed: plan.seed)
        var secrets: [ShopApp: String] = [:]
        for app in ShopApp.allCases { secrets[app] = generator.hexadecimal(32) }
        sharedSecrets = secrets
    }

    package func write(to database: PostgresPool) async throws {
        for app in ShopApp.ours {
            _ = try await database.execute(
                RehearsalSQL.setUpApp,
                [
                    .text(app.bundleID), .text(app.sandboxPolicy), .int4(app.ledgerAge.map(Int32.init)),
                    .text(app.receiptRoute.rawValue), .bool(app.confirmsTransactions), .bool(app.finishesTransactions),
                ])
        }
        _ = try await database.execute(RehearsalSQL.evenOutBudgets)
        let products = ShopApp.ours.flatMap { app in
            ShopProduct.listed.map { (app.bundleID, $0.productID, $0.listedKind) }
        }
        _ = try await database.execute(
            RehearsalSQL.setUpProducts,
            [.textArray(products.map(\.0)), .textArray(products.map(\.1)), .textArray(products.map(\.2))])
        let accounts = plan.purchases.flatMap { purchase in
            purchase.listedAccounts.map { (purchase.orders[0].app.bundleID, $0) }
        }
        _ = try await database.execute(
            RehearsalSQL.setUpSandboxAccounts, [.textArray(accounts.map(\.0)), .textArray(accounts.map(\.1))])
    }

    /// Writes certificates and credentials.
    ///
    /// - Parameter slips: whether one app's secret and one account's key are wrong, as after an operator's slip.
    package func write(to folder: RehearsalFolder, _ simulator: AppStoreSimulator, slips: Bool = true) throws {
        try folder.write(Data(simulator.tlsCertificateAuthorityPEM.utf8), to: folder.tlsRoot)
        try folder.write(Data(simulator.authority.rootCertificateDER), to: folder.transactionRoot)
        try folder.writeServerAPIKey(simulator.apiKey().credential)
        for app in ShopApp.ours where app.account != AppStoreSimulator.mainAccount {
            let key = simulator.apiKey(ofAccount: app.account)
            if slips { simulator.replaceAPIKey(ofAccount: app.account) }
            try folder.writeServerAPIKey(key.credential, of: app)
        }
        for (app, secret) in sharedSecrets where app != .elsewhere {
            let isWrong = slips && app.insistsOnSharedSecret
            try folder.writeSharedSecret(isWrong ? String(secret.reversed()) + "0" : secret, of: app)
        }
    }

    /// - Parameter notificationURL: the shop's address for notifications; nil: none are sent.
    package func register(with simulator: AppStoreSimulator, notificationURL: String? = nil) {
        for (app, secret) in sharedSecrets {
            simulator.registerApp(
                app.bundleID, sharedSecret: secret, insistsOnSharedSecret: app.insistsOnSharedSecret,
                account: app.account, notificationURL: notificationURL, isReleased: app.isReleased)
        }
        // What Apple allows each app: https://developer.apple.com/documentation/appstoreserverapi/identifying-rate-limits
        // In the sandbox it is a tenth; see even_out_budgets.sql.
        for endpoint in [Endpoint.getTransactionInfo, .finishTransaction] {
            simulator.setRateLimit(50, for: endpoint, in: .production)
            simulator.setRateLimit(50, for: endpoint, in: .sandbox)
        }
    }
}
