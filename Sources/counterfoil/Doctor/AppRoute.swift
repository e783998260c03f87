// SPDX-License-Identifier: Apache-2.0

import Postgres
import Verification

/// The way of an app's receipts to a verdict, and what it needs: a row of `read_app_routes.sql`.
struct AppRoute: Sendable, Equatable {
    let bundleID: BundleID
    /// Nil for one that a later version of this program knows.
    let receiptRoute: ReceiptRoute?
    /// Whether the app's policy calls the App Store Server API: to confirm signed transactions, or to finish granted ones.
    let asksServerAPI: Bool
    let sellsSubscriptions: Bool

    var needsKey: Bool { asksServerAPI || receiptRoute == .localThenAPI }

    /// Whether the credentials that are there fit the route. Whether Apple accepts them is another finding.
    ///
    /// - Parameters:
    ///   - hasKey: whether there is a key of the App Store Server API for the app.
    ///   - hasSecret: whether there is a shared secret of the app.
    func finding(hasKey: Bool, hasSecret: Bool) -> DoctorFinding {
        let subject = "app \(bundleID.rawValue)"
        let withoutKey =
            hasKey ? "" : "; without a key of the App Store Server API, bare transaction ids can't be verified"
        switch receiptRoute {
        case .localThenAPI where !hasKey:
            return .wrong(
                subject, "receipts: local_then_api, and the key that this route needs is missing, so that they wait",
                mend: "put the key into \(bundleID.rawValue).server-api-key or default.server-api-key; an app that has none: "
                    + "counterfoil apps add \(bundleID.rawValue) --receipt-route verify_receipt")
        case .localThenAPI:
            return .ok(subject, "receipts: local_then_api, and there is a key of the App Store Server API")
        case .verifyReceipt where sellsSubscriptions && !hasSecret:
            return .warning(
                subject,
                "receipts: verify_receipt, and the shared secret is missing that receipts with subscriptions need" + withoutKey,
                mend: "put the secret into \(bundleID.rawValue).shared-secret")
        case .verifyReceipt:
            let fit =
                !sellsSubscriptions
                ? "no subscription is sold, so that no shared secret is needed"
                : "whether the shared secret is right, only a genuine receipt with a subscription shows"
            let advice = hasKey ? "; Apple deprecates it, and the key allows --receipt-route local_then_api" : ""
            return .ok(subject, "receipts: verify_receipt; \(fit)\(advice)\(withoutKey)")
        case .localOnly:
            return .ok(
                subject,
                "receipts: local_only, by signature alone; whether Apple refunded a payment since can't be found out"
                    + withoutKey)
        case nil:
            return .warning(subject, "receipts: a route that this version doesn't know", mend: "use the workers' version")
        }
    }
}

extension AppRoute {
    enum Column: Int, RowColumn { case bundleID, receiptRoute, asksServerAPI, sellsSubscriptions }

    init(_ row: PostgresRow) throws(PostgresError) {
        let row = row.named(by: Column.self)
        bundleID = BundleID(rawValue: try row.string(.bundleID))
        receiptRoute = ReceiptRoute(rawValue: try row.string(.receiptRoute))
        asksServerAPI = try row.bool(.asksServerAPI)
        sellsSubscriptions = try row.bool(.sellsSubscriptions)
    }
}
