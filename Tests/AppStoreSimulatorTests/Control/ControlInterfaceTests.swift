// SPDX-License-Identifier: Apache-2.0

import AppStoreSimulator
import FoundationEssentials
import NIOHTTP1
import Testing

@Suite struct ControlInterfaceTests {
    private struct MadeTransaction: Decodable {
        var signedTransaction: String
        var transactionId: String
    }

    private struct MadeReceipt: Decodable {
        var receipt: String
        var receiptId: String
        var transactionIds: [String]
    }

    private struct Statistics: Decodable {
        struct Ended: Decodable, Equatable {
            var endpoint: String
            var environment: String
            var outcome: String
            var calls: Int
        }

        var inFlight: Int
        var inFlightMaximum: Int
        var ended: [Ended]
    }

    @Test func signedTransactionIsMade() async throws {
        try await withSimulator { simulator, client in
            let body =
                #"{"productId": "coins", "bundleId": "dev.shop", "quantity": 3, "signedDate": "2026-01-31T09:00:00Z"}"#
            let made: MadeTransaction = try await client.call("/simulator/transactions", body: body).decoded()

            let inspection = try await TokenInspection(
                made.signedTransaction, authority: simulator.authority,
                signedAt: Date(timeIntervalSince1970: 1_769_850_000))
            struct Payload: Decodable {
                var transactionId, bundleId: String
                var quantity: Int
                var signedDate: Int64
            }
            let parts = made.signedTransaction.split(separator: ".").map { String($0) }
            let payload = try #require(TokenInspection.json(parts[1], as: Payload.self))
            #expect(inspection.findings == [])
            #expect(payload.transactionId == made.transactionId)
            #expect(payload.bundleId == "dev.shop")
            #expect(payload.quantity == 3)
            #expect(payload.signedDate == 1_769_850_000_000)
        }
    }

    @Test func forgedTransactionIsMadeOnRequest() async throws {
        try await withSimulator { simulator, client in
            let body = #"{"productId": "coins", "forged": "wrongLeafOID"}"#
            let made: MadeTransaction = try await client.call("/simulator/transactions", body: body).decoded()

            let inspection = try await TokenInspection(
                made.signedTransaction, authority: simulator.authority, signedAt: Date())
            #expect(inspection.findings == [.leafMarker])
        }
    }

    @Test func receiptIsMadeAndKnown() async throws {
        try await withSimulator { _, client in
            let token = UUID()
            let body = """
                {"bundleId": "dev.shop", "environment": "sandbox", "inApp": [
                  {"productId": "coins", "quantity": 2},
                  {"productId": "pro", "type": "Auto-Renewable Subscription", "appAccountToken": "\(token)"}]}
                """
            let made: MadeReceipt = try await client.call("/simulator/receipts", body: body).decoded()

            let reply = try await client.verify(made.receipt, in: .sandbox)
            let contents = try ReceiptContents(Array(try #require(Data(base64Encoded: made.receipt))))
            #expect(reply.status == 0)
            #expect(reply.receipt?.bundleID == "dev.shop")
            #expect(reply.transactionIDs == made.transactionIds.sorted())
            #expect(contents.id.rawValue == made.receiptId)
            #expect(
                reply.latestReceiptInfo?.contains { $0["app_account_token"] == token.uuidString.lowercased() } == true)
        }
    }

    @Test func programIsTakenWithTheReceiptAndLater() async throws {
        try await withSimulator { _, client in
            let body = #"{"inApp": [{"productId": "coins"}], "program": {"emptyUntil": {"call": 2}}}"#
            let made: MadeReceipt = try await client.call("/simulator/receipts", body: body).decoded()

            #expect(try await client.verify(made.receipt).transactionIDs == [])
            #expect(try await client.verify(made.receipt).transactionIDs == made.transactionIds)
            let changed = try await client.call(
                "/simulator/receipts/\(made.receiptId)", method: .PUT, body: #"{"isAuthentic": false}"#)
            #expect(changed.code == 200)
            #expect(try await client.verify(made.receipt).status == 21003)
        }
    }

    @Test(arguments: ["", #", "digest": "sha1""#, #", "forged": "wrongLeafOID""#])
    func receiptIsSignedAsAsked(how: String) async throws {
        try await withSimulator { simulator, client in
            let body = #"{"inApp": [{"productId": "coins"}]\#(how)}"#
            let made: MadeReceipt = try await client.call("/simulator/receipts", body: body).decoded()

            let bytes = try #require(Data(base64Encoded: made.receipt))
            let chain = try simulator.authority.receiptChain
            #expect((bytes.firstRange(of: try chain[0].derBytes) == nil) == how.contains("forged"))
            #expect(bytes.firstRange(of: try chain[1].derBytes) != nil)
            #expect(try await client.verify(made.receipt).transactionIDs == made.transactionIds)
        }
    }

    @Test func appIsRegistered() async throws {
        try await withSimulator { _, client in
            let app = #"{"bundleId": "com.example.app", "sharedSecret": "s", "insistsOnSharedSecret": true}"#
            #expect(try await client.call("/simulator/apps", body: app).code == 200)

            let receipt = try SimulatedReceipt(transactions: []).base64
            #expect(try await client.verify(receipt).status == 21004)
            #expect(try await client.verify(receipt, password: "s").status == 0)
        }
    }

    @Test func faultsAreSetForOneEnvironment() async throws {
        try await withSimulator { _, client in
            let plan = #"{"faults": [{"probability": 1, "fault": {"kind": "status", "code": 21005}}]}"#
            let set = try await client.call("/simulator/faults/verifyReceipt/sandbox", method: .PUT, body: plan)

            let receipt = try SimulatedReceipt(transactions: []).base64
            #expect(set.code == 200)
            #expect(try await client.verify(receipt, in: .sandbox).status == 21005)
            #expect(try await client.verify(receipt, in: .production).status == 0)
        }
    }

    @Test func statisticsTellWhatWasAsked() async throws {
        try await withSimulator { _, client in
            let receipt = SimulatedReceipt(transactions: [SimulatedTransaction(productId: "coins")])
            _ = try await client.verify(receipt.base64)

            // The first call leaves after its answer has been read, so it may still be counted as in flight.
            let statistics: Statistics = try await client.call("/simulator/statistics", method: .GET).decoded()
            let about: [String: Int] = try await client.call(
                "/simulator/receipts/\(receipt.id)", method: .GET
            ).decoded()
            let aboutTransaction: [String: Int] = try await client.call(
                "/simulator/transactions/\(receipt.transactions[0].transactionId)", method: .GET
            ).decoded()

            #expect(
                statistics.ended == [
                    .init(endpoint: "verifyReceipt", environment: "Production", outcome: "200 status 0", calls: 1)
                ])
            #expect(statistics.inFlightMaximum == 1)
            #expect(about == ["calls": 1])
            #expect(aboutTransaction == ["calls": 1])
        }
    }

    @Test func certificatesAreHandedOut() async throws {
        try await withSimulator { simulator, client in
            let answer: [String: String] = try await client.call("/simulator/certificates", method: .GET).decoded()

            #expect(answer["tlsCertificateAuthority"] == simulator.tlsCertificateAuthorityPEM)
            #expect(answer["rootCertificateSHA256"] == simulator.authority.rootCertificateSHA256)
            #expect(
                answer["rootCertificate"].flatMap { Data(base64Encoded: $0) }.map { Array($0) }
                    == simulator.authority.rootCertificateDER)
        }
    }

    @Test(arguments: [
        ("/simulator/transactions", "{}"), ("/simulator/transactions", "no JSON"),
        ("/simulator/transactions", #"{"productId": "coins", "environment": "moon"}"#),
        ("/simulator/transactions", #"{"productId": "coins", "forged": "unheardOf"}"#),
        ("/simulator/receipts", #"{"inApp": "none"}"#),
    ])
    func requestThatIsNotUnderstoodIs400(_ path: String, _ body: String) async throws {
        try await withSimulator { _, client in
            let reply = try await client.call(path, body: body)

            #expect(reply.code == 400)
            #expect(try reply.decoded(as: [String: String].self)["error"] != nil)
        }
    }

    @Test(arguments: [
        ("/simulator/faults/verifyReceipt/moon", "{}"), ("/simulator/faults/unheardOf/sandbox", "{}"),
        ("/simulator/faults/verifyReceipt/sandbox", #"{"faults": [{"probability": 2, "fault": {"kind": "html"}}]}"#),
        (
            "/simulator/faults/verifyReceipt/sandbox",
            #"{"faults": [{"probability": 1, "fault": {"kind": "unheardOf"}}]}"#
        ),
    ])
    func faultsThatMakeNoSenseAre400(_ path: String, _ body: String) async throws {
        try await withSimulator { _, client in
            let reply = try await client.call(path, method: .PUT, body: body)

            #expect(reply.code == 400)
        }
    }

    /// The simulator answers each call that its root lists, on a page for people.
    @Test func theRootListsTheCallsInLinesOfATerminal() async throws {
        try await withSimulator { _, client in
            let page = try await client.call("/simulator/", method: .GET).text
            let calls = page.matches(of: /(?m)^([A-Z]+) (\/simulator\/\S*)$/)

            #expect(page.split(separator: "\n").allSatisfy { $0.count <= 80 }, "\(page)")
            #expect(page.contains("    body    {productId, bundleId?, type?"))
            #expect(page.contains("    answer  {signedTransaction, transactionId}"))
            #expect(calls.count == 24)
            for call in calls {
                let path = call.2.replacing("{environment}", with: "sandbox").replacing("{endpoint}", with: "verifyReceipt")
                    .replacing("{account}", with: "main")
                let reply = try await client.call(String(path), method: HTTPMethod(rawValue: String(call.1)), body: "{}")
                #expect(reply.code != 404, "\(call.0)")
            }
        }
    }

    /// A notification of history is sent to nobody: its maker gets what Apple would send.
    @Test func aNotificationIsAnsweredWithItsSignedPayload() async throws {
        struct Made: Decodable { var notificationUUID, signedPayload: String }
        struct Payload: Decodable { var notificationUUID, notificationType: String }
        try await withSimulator { _, client in
            let transaction: MadeTransaction = try await client.call(
                "/simulator/transactions", body: #"{"productId": "coins", "bundleId": "dev.shop"}"#
            ).decoded()
            let made: Made = try await client.call(
                "/simulator/notifications",
                body: #"{"notificationType": "REFUND", "transactionId": "\#(transaction.transactionId)", "results": ["SUCCESS"]}"#
            ).decoded()

            let part = try #require(made.signedPayload.split(separator: ".").dropFirst().first)
            let payload = try #require(TokenInspection.json(String(part), as: Payload.self))
            #expect(payload.notificationUUID == made.notificationUUID)
            #expect(payload.notificationType == "REFUND")
        }
    }

    @Test(arguments: ["/simulator/unheardOf", "/simulator/", "/simulator/apps/more"])
    func unknownPathIs404(_ path: String) async throws {
        try await withSimulator { _, client in
            let reply = try await client.call(path, body: "{}")

            #expect(reply.code == 404)
        }
    }
}
