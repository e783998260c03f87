// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Verification

@testable import AppStore

/// Reader, chain and judge over one text: what they find in it, and what is wrong with that.
struct GenuineExamination: Sendable {
    /// In Apple's names: `Tests/README.md` lists them.
    private(set) var facts: [String: GenuineFact] = [:]
    /// What must not be, whatever the owner knows.
    private(set) var faults: [String] = []

    /// Everything that is wrong, a line each.
    func complaints(_ expected: [String: ExpectedFact]?) -> [String] {
        // A text without facts of its owner's has to be genuine.
        let outcome = expected?["outcome"] == nil ? ["outcome": ExpectedFact.text("verified")] : [:]
        return faults + GenuineFact.differences(of: facts, from: (expected ?? [:]).merging(outcome) { $1 })
    }

    init(of text: GenuineText, trusting anchors: TrustAnchors) async {
        switch text.form {
        case .jws, .receipt: await examine(proof: text.text, as: text.form, anchors)
        case .notification: await examine(notification: text.text, anchors)
        }
    }

    private mutating func examine(proof text: String, as form: GenuineText.Form, _ anchors: TrustAnchors) async {
        do {
            switch (form, try ProofReader().read(text).proof) {
            case (.jws, .signedTransaction(let jws)): await examine(jws: jws, anchors)
            case (.receipt, .appReceipt(let base64)): await examine(receipt: base64, anchors)
            case (_, let proof): faults.append("it is read as \(proof.kind.rawValue)")
            }
        } catch {
            facts["outcome"] = .text(error.reason.rawValue)
        }
    }

    private mutating func examine(jws: String, _ anchors: TrustAnchors) async {
        let form = UnusableForm(.signedTransaction(jws))
        facts["kind"] = .text(form.map { "\($0)" } ?? "signedTransaction")
        do throws(Reason) {
            switch try await SignedTransactionVerifier(anchors: anchors).contents(of: jws) {
            case .odd(let odd):
                facts["outcome"] = .text("odd")
                faults.append(odd.message)
            case .transactions(let transactions):
                facts["outcome"] = .text("verified")
                facts.merge(judged(transactions).first ?? [:]) { $1 }
                facts["signedDate"] = GenuineFact(date: transactions.signedAt)
            }
        } catch {
            // Other texts of Apple's show no purchase, and are genuine all the same.
            facts["outcome"] = .text(error == .notAPurchase ? "verified" : error.rawValue)
        }
    }

    private mutating func examine(receipt base64: String, _ anchors: TrustAnchors) async {
        facts["kind"] = .text("appReceipt")
        do throws(Reason) {
            let contents = try await AppReceiptVerifier(anchors: anchors).contents(of: base64)
            let bytes = Base64.decode(padded: Array(base64.utf8)[...], as: .standard) ?? []
            let receipt = try SignedReceipt(bytes, limits: AppReceiptLimits()).facts
            facts["bundleId"] = GenuineFact(text: receipt?.bundleID.value)
            facts["receiptType"] = GenuineFact(text: receipt?.receiptType.value)
            facts["receiptCreationDate"] = GenuineFact(date: receipt?.creationDate.value?.date)
            switch contents {
            case .odd(let odd):
                facts["outcome"] = .text("odd")
                faults.append(odd.message)
            case .transactions(let transactions):
                facts["outcome"] = .text("verified")
                facts["purchaseCount"] = .number(Int64(transactions.all.count))
                facts["skipped"] = .number(Int64(transactions.skipped))
                facts["purchases"] = .list(judged(transactions))
                if transactions.skipped > 0 { faults.append("\(transactions.skipped) purchases can't be read") }
            }
        } catch {
            facts["outcome"] = .text(error.rawValue)
        }
    }

    private mutating func examine(notification text: String, _ anchors: TrustAnchors) async {
        facts["kind"] = .text("notification")
        do throws(Reason) {
            let notification = try await NotificationVerifier(anchors: anchors)
                .verify(String(decoding: Array(text.utf8)[...].trimmingWhitespace(), as: UTF8.self))
            facts["outcome"] = .text("verified")
            facts["notificationType"] = .text(notification.type)
            facts["subtype"] = GenuineFact(text: notification.subtype)
            facts["bundleId"] = .text(notification.bundleID.rawValue)
            facts["environment"] = .text(Self.appleName(of: notification.environment))
            facts["consumptionRequestReason"] = GenuineFact(text: notification.consumptionRequestReason)
            facts["effect"] = GenuineFact(text: NotificationEffects(of: notification).outcome?.rawValue)
            facts["transaction"] = GenuineFact.absent
            switch notification.contents {
            case .nothing: break
            case .unusable(let why): faults.append(why)
            case .transaction(let transaction, let signedAt, _):
                var facts =
                    judged(VerifiedTransactions([transaction], mayBeIncomplete: false, signedAt: signedAt)).first ?? [:]
                facts["signedDate"] = GenuineFact(date: signedAt)
                self.facts["transaction"] = .object(facts)
            }
            facts["renewal"] = notification.renewal.map { .object(Self.facts(of: $0)) } ?? GenuineFact.absent
        } catch {
            facts["outcome"] = .text(error.rawValue)
        }
    }
}

// MARK: - Judging

extension GenuineExamination {
    /// The facts of each transaction, with the judgement of an order that was made for it.
    private mutating func judged(_ transactions: VerifiedTransactions) -> [[String: GenuineFact]] {
        transactions.all.map { transaction in
            var facts = Self.facts(of: transaction)
            facts["verdict"] = .text(verdict(on: transaction, in: transactions))
            return facts
        }
    }

    /// An order of the same product, made at the time of the purchase. Orders of another product and of another app are judged,
    /// too, and must never be paid; nor may the sandbox pay where the policy denies it.
    private mutating func verdict(on transaction: Transaction, in transactions: VerifiedTransactions) -> String {
        let order = Order(
            id: OrderID(rawValue: "order"), bundleID: transaction.bundleID, productID: transaction.productID,
            accountID: AccountID(rawValue: "account"), quantity: min(transaction.quantity, 10),
            appAccountToken: transaction.appAccountToken, createdAt: transaction.purchaseDate,
            // Not every receipt names a kind.
            productKind: transaction.productKind ?? (transaction.expiresDate == nil ? .consumable : .autoRenewable))
        var (ofAnotherApp, ofAnotherProduct) = (order, order)
        ofAnotherApp.bundleID = BundleID(rawValue: "com.example.another")
        ofAnotherProduct.productID = ProductID(rawValue: "com.example.another")
        let sandbox = AppPolicy(allowsSandbox: true)
        func judge(_ order: Order, _ policy: AppPolicy) -> Verdict {
            OrderMatching.judge(transactions, for: order, policy: policy, hint: transaction.id).verdict
        }

        if judge(ofAnotherApp, sandbox) != .rejected(.wrongApp) { faults.append("an order of another app isn't rejected") }
        if judge(ofAnotherProduct, sandbox).pays(for: ofAnotherProduct, under: sandbox) {
            faults.append("it may pay for an order of another product")
        }
        if transaction.environment == .sandbox, judge(order, AppPolicy()) != .rejected(.sandboxNotAllowed) {
            faults.append("the sandbox may pay although the policy denies it")
        }
        return Self.words(judge(order, sandbox), on: transaction, for: order, under: sandbox)
    }

    private static func words(
        _ verdict: Verdict, on transaction: Transaction, for order: Order, under policy: AppPolicy
    ) -> String {
        switch verdict {
        case .candidates where verdict.takenBack != nil: return "refunded"
        case .candidates(let candidates):
            guard let candidate = candidates.first(where: { $0.transaction.id == transaction.id }) else { return "not offered" }
            let objection = Fit.objections(to: PaymentFacts(candidate), for: order, under: policy).first
            return objection.map { "review: \($0.reason.rawValue)" } ?? "paid"
        case .rejected(let reason): return "rejected: \(reason.rawValue)"
        case .review(let reason): return "review: \(reason.rawValue)"
        case .missing: return "missing"
        }
    }
}

extension Verdict {
    /// Whether the order may be granted by it without an operator.
    fileprivate func pays(for order: Order, under policy: AppPolicy) -> Bool {
        guard case .candidates(let candidates) = self else { return false }
        return candidates.contains { Fit.objections(to: PaymentFacts($0), for: order, under: policy).isEmpty }
    }
}

// MARK: - Facts

extension GenuineExamination {
    private static func facts(of transaction: Transaction) -> [String: GenuineFact] {
        [
            "transactionId": .text(transaction.id.rawValue),
            "originalTransactionId": .text(transaction.originalID.rawValue),
            "webOrderLineItemId": GenuineFact(text: transaction.webOrderLineItemID),
            "bundleId": .text(transaction.bundleID.rawValue),
            "productId": .text(transaction.productID.rawValue),
            "type": GenuineFact(text: transaction.productKind.map(appleName)),
            "environment": .text(appleName(of: transaction.environment)),
            "quantity": .number(Int64(transaction.quantity)),
            "purchaseDate": .date(transaction.purchaseDate),
            "originalPurchaseDate": GenuineFact(date: transaction.originalPurchaseDate),
            "expiresDate": GenuineFact(date: transaction.expiresDate),
            "appAccountToken": GenuineFact(text: transaction.appAccountToken?.uuidString.lowercased()),
            "inAppOwnershipType": GenuineFact(text: transaction.ownership.appleName),
            "revocationDate": GenuineFact(date: transaction.revocation?.date),
            "revocationReason": GenuineFact(number: transaction.revocation?.reason.map(Int64.init)),
            "revocationType": GenuineFact(text: transaction.revocation?.type),
            "price": GenuineFact(number: transaction.price?.milliunits),
            "currency": GenuineFact(text: transaction.price?.currency),
            "appTransactionId": GenuineFact(text: transaction.customerID?.rawValue),
        ]
    }

    private static func facts(of renewal: Renewal) -> [String: GenuineFact] {
        [
            "originalTransactionId": .text(renewal.originalID.rawValue),
            "autoRenewProductId": GenuineFact(text: renewal.productID?.rawValue),
            "autoRenewStatus": GenuineFact(number: renewal.willRenew.map { $0 ? 1 : 0 }),
            "isInBillingRetryPeriod": GenuineFact(flag: renewal.isInBillingRetry),
            "gracePeriodExpiresDate": GenuineFact(date: renewal.graceEndsAt),
            "renewalDate": GenuineFact(date: renewal.renewsAt),
            "expirationIntent": GenuineFact(number: renewal.expirationIntent.map(Int64.init)),
            "signedDate": .date(renewal.signedAt),
        ]
    }

    private static func appleName(of environment: AppStoreEnvironment) -> String {
        switch environment {
        case .production: "Production"
        case .sandbox: "Sandbox"
        }
    }

    private static func appleName(of kind: ProductKind) -> String {
        switch kind {
        case .consumable: "Consumable"
        case .nonConsumable: "Non-Consumable"
        case .nonRenewing: "Non-Renewing Subscription"
        case .autoRenewable: "Auto-Renewable Subscription"
        }
    }
}
