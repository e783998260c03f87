// SPDX-License-Identifier: Apache-2.0

import Testing
import Verification

@testable import counterfoil

/// Whether an app's credentials fit the route of its receipts.
@Suite struct AppRouteTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let route: ReceiptRoute?
        var subscriptions = false
        var key = false
        var secret = false
        let level: DoctorFinding.Level
        let says: String

        var testDescription: String {
            "\(route?.rawValue ?? "unknown"), subscriptions \(subscriptions), key \(key), secret \(secret)"
        }
    }

    @Test(arguments: [
        Case(route: .localThenAPI, key: true, level: .ok, says: "there is a key"),
        Case(route: .localThenAPI, level: .wrong, says: "the key that this route needs is missing"),
        Case(route: .localThenAPI, subscriptions: true, secret: true, level: .wrong, says: "is missing"),
        Case(route: .verifyReceipt, level: .ok, says: "no shared secret is needed"),
        Case(route: .verifyReceipt, level: .ok, says: "bare transaction ids can't be verified"),
        Case(route: .verifyReceipt, key: true, level: .ok, says: "the key allows --receipt-route local_then_api"),
        Case(route: .verifyReceipt, subscriptions: true, level: .warning, says: "the shared secret is missing"),
        Case(
            route: .verifyReceipt, subscriptions: true, secret: true, level: .ok,
            says: "only a genuine receipt with a subscription shows"),
        Case(route: .localOnly, level: .ok, says: "refunded a payment since can't be found out"),
        Case(route: .localOnly, level: .ok, says: "bare transaction ids can't be verified"),
        Case(route: nil, level: .warning, says: "doesn't know"),
    ])
    func aRouteIsComparedWithItsCredentials(_ row: Case) {
        let app = AppRoute(
            bundleID: BundleID(rawValue: "com.example.game"), receiptRoute: row.route, asksServerAPI: false,
            sellsSubscriptions: row.subscriptions)

        let finding = app.finding(hasKey: row.key, hasSecret: row.secret)

        #expect(finding.subject == "app com.example.game")
        #expect(finding.level == row.level)
        #expect(finding.finding.contains(row.says), "\(finding.finding)")
        #expect((finding.mend == nil) == (row.level == .ok))
    }

    @Test(arguments: ReceiptRoute.allCases)
    func addingAnAppNamesTheCredentialOfItsRoute(route: ReceiptRoute) {
        let need = route.need(of: "com.example.game")

        #expect(need.contains("com.example.game.server-api-key") == (route == .localThenAPI))
        #expect(need.contains("--receipt-route verify_receipt") == (route == .localThenAPI))
        #expect(need.contains("com.example.game.shared-secret") == (route == .verifyReceipt))
    }
}
