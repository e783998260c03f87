// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials

/// Answers verifyReceipt calls.
///
/// The checks come in this order, and the first that fails decides: method and body (21000), shape of the receipt
/// (21002), what the receipt's program says of it (21003 or any other status), environment (21007, 21008), shared
/// secret (21004). Without a program the answer depends only on the receipt's bytes and on the apps that are known.
struct VerifyReceiptEndpoint: Sendable {
    /// A call that has been read and waits for its answer.
    struct Call: Sendable {
        var request: VerifyReceiptRequest?
        var receipt: ReadReceipt?
    }

    let book: ReceiptBook
    let subscriptions: SubscriptionBook
    let reader: ReceiptReader

    func read(method: String, body: [UInt8]) -> Call {
        guard method == "POST",
            let request = try? JSONDecoder().decode(VerifyReceiptRequest.self, from: Data(body))
        else { return Call() }
        return Call(request: request, receipt: request.receiptData.map(reader.read))
    }

    func answer(_ call: Call, in environment: SimulatedEnvironment, at now: Date) -> Answer {
        guard let request = call.request else { return Self.refusal(21000, in: environment) }
        guard let receipt = call.receipt, let id = receipt.id else { return Self.refusal(21002, in: environment) }
        if let program = book.program(for: id) {
            if !program.isAuthentic { return Self.refusal(21003, in: environment) }
            if let status = program.status { return Self.refusal(status, in: environment) }
        }
        switch receipt.content {
        case .unreadable:
            return Self.refusal(21002, in: environment)
        case .app(let contents):
            let view = ReceiptView(contents, book: book)
            if let refusal = refusal(
                of: id, in: contents.environment, bundleID: contents.bundleID, needsSecret: view.hasSubscriptions,
                request: request, at: environment)
            {
                return refusal
            }
            return appReceiptAnswer(view, request: request, in: environment, at: now)
        }
    }

    /// The refusal for a receipt of the wrong environment or a call without the right secret; nil when all is well.
    private func refusal(
        of id: ReceiptID,
        in receiptEnvironment: SimulatedEnvironment,
        bundleID: String,
        needsSecret: Bool,
        request: VerifyReceiptRequest,
        at environment: SimulatedEnvironment
    ) -> Answer? {
        if receiptEnvironment != environment {
            return Self.refusal(environment == .production ? 21007 : 21008, in: environment)
        }
        if request.password != nil, book.program(for: id)?.refusesSecret == true { return Self.refusal(21004, in: environment) }
        guard let app = book.app(bundleID: bundleID), let secret = app.sharedSecret else { return nil }
        guard needsSecret || app.insistsOnSharedSecret, request.password != secret else { return nil }
        return Self.refusal(21004, in: environment)
    }

    private func appReceiptAnswer(
        _ view: ReceiptView,
        request: VerifyReceiptRequest,
        in environment: SimulatedEnvironment,
        at now: Date
    ) -> Answer {
        let moment = ReceiptView.Moment(call: book.countAnswer(about: view.contents.id), now: now)
        let purchases = view.purchases(at: moment)
        let appleID = book.app(bundleID: view.contents.bundleID)?.appleID ?? 0
        return Answer(status: 0) { json in
            json.field("status", 0)
            json.field("environment", environment.rawValue)
            json.key("receipt")
            json.object { $0.addAppReceipt(view.contents, purchases: purchases, appleID: appleID, now: now) }
            guard view.hasSubscriptions else { return }
            let latest = view.latestPurchases(at: moment, excludingOld: request.excludesOldTransactions)
            json.key("latest_receipt_info")
            json.objects(latest) { $0.addPurchase($1, inLatestInfo: true) }
            json.field("latest_receipt", request.receiptData)
            json.key("pending_renewal_info")
            json.objects(view.newestRenewals(among: latest)) { json, purchase in
                let life = subscriptions.life(purchase.facts.originalTransactionID)
                if let renewal = life?.renewalInfo(at: now) {
                    json.addPendingRenewal(renewal)
                } else {
                    json.addPendingRenewal(purchase, now: now)
                }
            }
        }
    }

    private static func refusal(_ status: Int, in environment: SimulatedEnvironment) -> Answer {
        Answer(status: status) { json in
            // A quoted answer of Apple's to a receipt of a deleted account has these two beside the status.
            if status == 21010 { json.field("environment", environment.rawValue) }
            json.field("status", Int64(status))
            if status == 21010 { json.field("is_retryable", false) }
        }
    }
}
