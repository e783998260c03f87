// SPDX-License-Identifier: Apache-2.0

import AppStoreSimulator
import FoundationEssentials
import NIOHTTP1
import Testing

@Suite struct VerifyReceiptTests {
    private static let purchased = Date(timeIntervalSince1970: 1_766_773_187)

    private static func receipt(
        _ transactions: [SimulatedTransaction], in environment: SimulatedEnvironment = .production
    ) -> SimulatedReceipt {
        SimulatedReceipt(environment: environment, transactions: transactions)
    }

    private static func coins(in environment: SimulatedEnvironment = .production) -> SimulatedTransaction {
        SimulatedTransaction(productId: "coins", environment: environment, quantity: 2, purchaseDate: purchased)
    }

    private static func subscription(expires: Date) -> SimulatedTransaction {
        var transaction = SimulatedTransaction(productId: "pro", type: .autoRenewable, purchaseDate: purchased)
        transaction.expiresDate = expires
        return transaction
    }

    // MARK: Statuses

    @Test func genuineReceiptIsAnsweredWithItsContent() async throws {
        try await withSimulator { simulator, client in
            simulator.registerApp("com.example.app", appleID: 777)
            let transaction = Self.coins()
            let receipt = Self.receipt([transaction])

            let reply = try await client.verify(receipt.base64)

            #expect(reply.status == 0)
            #expect(reply.environment == "Production")
            #expect(reply.receipt?.receiptType == "Production")
            #expect(reply.receipt?.bundleID == "com.example.app")
            #expect(reply.receipt?.adamID == 777)
            #expect(reply.receipt?.strings["receipt_creation_date_ms"] == "1766773187000")
            #expect(reply.receipt?.strings["receipt_creation_date"] == "2025-12-26 18:19:47 Etc/GMT")
            #expect(reply.receipt?.strings["receipt_creation_date_pst"] == "2025-12-26 10:19:47 America/Los_Angeles")
            #expect(
                reply.receipt?.inApp == [
                    [
                        "quantity": "2", "product_id": "coins",
                        "transaction_id": transaction.transactionId,
                        "original_transaction_id": transaction.transactionId,
                        "purchase_date": "2025-12-26 18:19:47 Etc/GMT",
                        "purchase_date_ms": "1766773187000",
                        "purchase_date_pst": "2025-12-26 10:19:47 America/Los_Angeles",
                        "original_purchase_date": "2025-12-26 18:19:47 Etc/GMT",
                        "original_purchase_date_ms": "1766773187000",
                        "original_purchase_date_pst": "2025-12-26 10:19:47 America/Los_Angeles",
                        "is_trial_period": "false", "in_app_ownership_type": "PURCHASED",
                    ]
                ])
            #expect(reply.latestReceiptInfo == nil)
            #expect(reply.latestReceipt == nil)
            #expect(reply.pendingRenewalInfo == nil)
        }
    }

    @Test func requestThatIsNoPostIs21000() async throws {
        try await withSimulator { _, client in
            let reply = try await client.call("/verifyReceipt", method: .GET)

            #expect(reply.code == 200)
            #expect(try reply.decoded(as: VerifyReceiptReply.self).status == 21000)
        }
    }

    @Test(arguments: ["", "receipt-data=abc", "[1]", "\"text\"", "{\"receipt-data\": "])
    func bodyThatIsNoJSONObjectIs21000(_ body: String) async throws {
        try await withSimulator { _, client in
            let reply = try await client.call("/verifyReceipt", body: body)

            #expect(reply.code == 200)
            #expect(try reply.decoded(as: VerifyReceiptReply.self).status == 21000)
        }
    }

    @Test(arguments: [
        "{}", "{\"receipt-data\": 7}", "{\"receipt-data\": \"\"}", "{\"receipt-data\": \"no base 64!\"}",
        "{\"receipt-data\": \"aGVsbG8=\"}",
    ])
    func receiptThatCannotBeReadIs21002(_ body: String) async throws {
        try await withSimulator { _, client in
            let reply = try await client.call("/verifyReceipt", body: body)

            #expect(try reply.decoded(as: VerifyReceiptReply.self).status == 21002)
        }
    }

    @Test func receiptEncodedTwiceIs21002() async throws {
        try await withSimulator { _, client in
            let twice = Data(try Self.receipt([Self.coins()]).base64.utf8).base64EncodedString()

            #expect(twice.hasPrefix("TUlJ"))
            #expect(try await client.verify(twice).status == 21002)
        }
    }

    @Test func receiptMarkedNotAuthenticIs21003() async throws {
        try await withSimulator { simulator, client in
            let receipt = Self.receipt([Self.coins()])
            var program = ReceiptProgram()
            program.isAuthentic = false
            simulator.setProgram(program, for: receipt.id)

            let reply = try await client.verify(receipt.base64)

            #expect(reply.status == 21003)
            #expect(reply.receipt == nil)
        }
    }

    @Test func sandboxReceiptAtProductionIs21007AndGoodAtSandbox() async throws {
        try await withSimulator { _, client in
            let receipt = try Self.receipt([Self.coins(in: .sandbox)], in: .sandbox).base64

            #expect(try await client.verify(receipt, in: .production).status == 21007)
            let reply = try await client.verify(receipt, in: .sandbox)
            #expect(reply.status == 0)
            #expect(reply.environment == "Sandbox")
            #expect(reply.receipt?.adamID == 0)
        }
    }

    @Test func productionReceiptAtSandboxIs21008() async throws {
        try await withSimulator { _, client in
            let receipt = try Self.receipt([Self.coins()]).base64

            #expect(try await client.verify(receipt, in: .sandbox).status == 21008)
        }
    }

    @Test func programmedStatusIsAnswered() async throws {
        try await withSimulator { simulator, client in
            let receipt = Self.receipt([Self.coins()])
            var program = ReceiptProgram()
            program.status = 21010
            simulator.setProgram(program, for: receipt.id)

            let reply = try await client.verify(receipt.base64)

            #expect(reply.status == 21010)
            let text = try await client.call("/verifyReceipt", body: SimulatorClient.body(try receipt.base64)).text
            #expect(text == #"{"environment":"Production","status":21010,"is_retryable":false}"#)
        }
    }

    @Test func unknownPathIs404WithoutABody() async throws {
        try await withSimulator { _, client in
            let reply = try await client.call("/verifyreceipt")

            #expect(reply.code == 404)
            #expect(reply.text.isEmpty)
        }
    }

    // MARK: Shared secret

    @Test(arguments: [(nil, 21004), ("wrong", 21004), ("right", 0)] as [(String?, Int)])
    func subscriptionNeedsTheSecret(_ password: String?, _ status: Int) async throws {
        try await withSimulator { simulator, client in
            simulator.registerApp("com.example.app", sharedSecret: "right")
            let receipt = try Self.receipt([Self.subscription(expires: .distantFuture)]).base64

            #expect(try await client.verify(receipt, password: password).status == status)
        }
    }

    @Test(arguments: [nil, "wrong"] as [String?])
    func oneTimePurchaseNeedsNoSecret(_ password: String?) async throws {
        try await withSimulator { simulator, client in
            simulator.registerApp("com.example.app", sharedSecret: "right")
            let receipt = try Self.receipt([Self.coins()]).base64

            #expect(try await client.verify(receipt, password: password).status == 0)
        }
    }

    @Test(arguments: [(nil, 21004), ("wrong", 21004), ("right", 0)] as [(String?, Int)])
    func insistingAppNeedsTheSecretAlways(_ password: String?, _ status: Int) async throws {
        try await withSimulator { simulator, client in
            simulator.registerApp("com.example.app", sharedSecret: "right", insistsOnSharedSecret: true)
            let receipt = try Self.receipt([Self.coins()]).base64

            #expect(try await client.verify(receipt, password: password).status == status)
        }
    }

    @Test func unknownAppNeedsNoSecret() async throws {
        try await withSimulator { _, client in
            let receipt = try Self.receipt([Self.subscription(expires: .distantFuture)]).base64

            #expect(try await client.verify(receipt).status == 0)
        }
    }

    @Test func wrongEnvironmentIsSaidBeforeWrongSecret() async throws {
        try await withSimulator { simulator, client in
            simulator.registerApp("com.example.app", sharedSecret: "right", insistsOnSharedSecret: true)
            let receipt = try Self.receipt([Self.coins(in: .sandbox)], in: .sandbox).base64

            #expect(try await client.verify(receipt).status == 21007)
        }
    }

    // MARK: Subscriptions

    @Test func subscriptionBringsLatestInfoReceiptAndRenewal() async throws {
        try await withSimulator { simulator, client in
            let token = UUID()
            var transaction = Self.subscription(expires: Date(timeIntervalSinceNow: 86_400))
            transaction.appAccountToken = token
            simulator.remember([transaction])
            let receipt = try Self.receipt([transaction, Self.coins()]).base64

            let reply = try await client.verify(receipt)

            #expect(reply.latestReceipt == receipt)
            #expect(reply.latestReceiptInfo?.count == 2)
            let latest = try #require(reply.latestReceiptInfo?.first { $0["product_id"] == "pro" })
            #expect(latest["app_account_token"] == token.uuidString.lowercased())
            #expect(latest["in_app_ownership_type"] == "PURCHASED")
            #expect(latest["subscription_group_identifier"] == transaction.subscriptionGroupIdentifier)
            #expect(latest["web_order_line_item_id"] == transaction.webOrderLineItemId)
            #expect(
                latest["expires_date_ms"]
                    == transaction.expiresDate.map { String(Int64($0.timeIntervalSince1970) * 1000) })
            #expect(reply.purchase(transaction.transactionId)?["app_account_token"] == nil)
            #expect(reply.purchase(transaction.transactionId)?["in_app_ownership_type"] == "PURCHASED")
            #expect(
                reply.pendingRenewalInfo == [
                    [
                        "product_id": "pro", "auto_renew_product_id": "pro", "auto_renew_status": "1",
                        "original_transaction_id": transaction.transactionId,
                    ]
                ])
        }
    }

    /// Of a life that is played, the next renewal is what Apple says of it elsewhere.
    @Test func pendingRenewalIsThatOfTheLife() async throws {
        try await withSimulator { simulator, client in
            let life = SimulatedSubscription(SimulatedPlan("pro", level: 1), at: Date().addingTimeInterval(-29 * 86_400))
            try simulator.begin(life)
            try simulator.apply(
                .change(to: SimulatedPlan("basic", level: 2)), to: life.originalTransactionID,
                at: Date().addingTimeInterval(-60))

            let reply = try await client.verify(Self.receipt([life.current]).base64)

            #expect(
                reply.pendingRenewalInfo == [
                    [
                        "product_id": "pro", "auto_renew_product_id": "basic", "auto_renew_status": "1",
                        "original_transaction_id": life.originalTransactionID,
                    ]
                ])
        }
    }

    @Test func laterRenewalShowsInLatestInfoOnly() async throws {
        try await withSimulator { simulator, client in
            let first = Self.subscription(expires: Self.purchased.addingTimeInterval(3600))
            var renewal = SimulatedTransaction(
                productId: "pro", type: .autoRenewable, purchaseDate: Self.purchased.addingTimeInterval(3600))
            renewal.originalTransactionId = first.transactionId
            renewal.transactionReason = "RENEWAL"
            simulator.remember([renewal])
            let receipt = try Self.receipt([first]).base64

            let reply = try await client.verify(receipt)
            let short = try await client.verify(receipt, excludingOld: true)

            #expect(reply.transactionIDs == [first.transactionId])
            #expect(
                reply.latestReceiptInfo?.map { $0["transaction_id"] } == [renewal.transactionId, first.transactionId])
            #expect(short.latestReceiptInfo?.map { $0["transaction_id"] } == [renewal.transactionId])
            #expect(short.transactionIDs == [first.transactionId])
        }
    }

    @Test func endedSubscriptionIsStillAuthentic() async throws {
        try await withSimulator { _, client in
            let transaction = Self.subscription(expires: Self.purchased.addingTimeInterval(60))

            let reply = try await client.verify(Self.receipt([transaction]).base64)

            #expect(reply.status == 0)
            #expect(reply.pendingRenewalInfo?.first?["auto_renew_status"] == "0")
            #expect(reply.pendingRenewalInfo?.first?["expiration_intent"] == "1")
        }
    }
}
