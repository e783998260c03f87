// SPDX-License-Identifier: Apache-2.0

import AppStore
import AppStoreSimulator
import FoundationEssentials
import Testing
import Verification

/// A folder as an owner of genuine texts keeps it, with texts of the simulator's in it. Gone when the test is.
final class GenuineFolder: Sendable {
    static let names = [
        "app.jws", "coins.jws", "month.notification", "old.receipt", "renewal.jws", "test.notification", "unnamed.jws",
    ]

    private static let authority = Result { try SimulatedCertificateAuthority() }
    private static let bundleID = "com.example.app"
    /// A whole second, as receipts write it.
    private static let date = SigningFixture.purchaseDate
    private static let milliseconds = Int64(date.timeIntervalSince1970 * 1000)
    private static let token = UUID(uuidString: "5F1C9A40-7D4E-4C9B-8E35-0A9D6C2B1F00")

    private let folder: TemporaryFolder
    private let authority: SimulatedCertificateAuthority

    init() throws {
        folder = try TemporaryFolder()
        authority = try Self.authority.get()
        try writeSignedTexts()
        try writeReceipt()
        try writeNotifications()
    }

    func write(_ text: String, to name: String) throws { try folder.write(Array(text.utf8), to: name) }

    func remove(_ name: String) throws { try folder.remove(name) }

    func contents(of name: String) throws -> String { try String(contentsOfFile: folder.path(name), encoding: .utf8) }

    func texts() throws -> [GenuineText] { try GenuineText.all(in: folder.path) }

    /// What is wrong with a text, by the roots of its maker unless others are named.
    func complaints(_ name: String, trusting anchors: TrustAnchors? = nil) async throws -> [String] {
        let text = try #require(try texts().first { $0.name == name })
        let root = try ExtraRoot(
            certificate: authority.rootCertificateDER, bundleIDs: [BundleID(rawValue: Self.bundleID)])
        return await GenuineExamination(of: text, trusting: anchors ?? TrustAnchors(further: [root])).complaints(text.expected)
    }

    /// Changes a bit of the signature, and nothing else.
    func damage(_ name: String) throws {
        let text = try contents(of: name)
        guard name.hasSuffix(".receipt") else {
            // The first symbol after the last point begins the signature.
            var parts = text.split(separator: ".").map(String.init)
            let other = parts[2].hasPrefix("A") ? "B" : "A"
            parts[2] = other + parts[2].dropFirst()
            return try write(parts.joined(separator: "."), to: name)
        }
        var bytes = Array(try #require(Data(base64Encoded: text)))
        // The signature of the one signer ends the receipt.
        bytes[bytes.count - 8] ^= 1
        try write(Data(bytes).base64EncodedString(), to: name)
    }

    private func transaction(
        _ id: String, of product: String, type: SimulatedProductType, quantity: Int = 1
    ) -> SimulatedTransaction {
        SimulatedTransaction(
            productId: product, bundleId: Self.bundleID, type: type, environment: .sandbox, quantity: quantity,
            purchaseDate: Self.date, transactionId: id, appAccountToken: Self.token)
    }

    private func writeSignedTexts() throws {
        let coins = transaction("1", of: "coins", type: .consumable, quantity: 2)
        try write(coins.signedTransaction(by: authority) + "\n", to: "coins.jws")
        try write(
            """
            {"kind":"signedTransaction","outcome":"verified","verdict":"paid","transactionId":"1","originalTransactionId":"1",
             "bundleId":"\(Self.bundleID)","productId":"coins","type":"Consumable","environment":"Sandbox","quantity":2,
             "purchaseDate":\(Self.milliseconds),
             "signedDate":"\(Self.date.formatted(.iso8601))","expiresDate":null,"revocationDate":null,
             "appAccountToken":"5f1c9a40-7d4e-4c9b-8e35-0a9d6c2b1f00","inAppOwnershipType":"PURCHASED","price":3980,
             "currency":"USD"}
            """, to: "coins.json")
        try write(transaction("3", of: "coins", type: .consumable).signedTransaction(by: authority), to: "unnamed.jws")
        // A root of one's own speaks for the apps that it is bound to, so that this one names an app. Apple's don't.
        try write(renewal(#""bundleId":"\#(Self.bundleID)","#), to: "renewal.jws")
        try write(#"{"kind":"renewalInfo","outcome":"verified"}"#, to: "renewal.json")
        // As Apple's, it has neither a time of its signature nor an environment.
        try write(
            sign(#"{"receiptType":"Sandbox","bundleId":"\#(Self.bundleID)","originalApplicationVersion":"1.0"}"#), to: "app.jws")
        try write(#"{"kind":"appTransaction"}"#, to: "app.json")
    }

    private func writeReceipt() throws {
        let receipt = SimulatedReceipt(
            bundleId: Self.bundleID, environment: .sandbox,
            transactions: [
                transaction("1", of: "coins", type: .consumable), transaction("2", of: "month", type: .autoRenewable),
            ], creationDate: Self.date)
        let month = Self.date.addingTimeInterval(30 * 86_400).formatted(.iso8601)
        try write(receipt.signed(by: authority), to: "old.receipt")
        try write(
            """
            {"kind":"appReceipt","bundleId":"\(Self.bundleID)","receiptType":"ProductionSandbox","purchaseCount":2,"skipped":0,
             "receiptCreationDate":"\(Self.date.formatted(.iso8601))",
             "purchases":[{"transactionId":"1","productId":"coins","expiresDate":null,"verdict":"paid"},
                          {"transactionId":"2","productId":"month","expiresDate":"\(month)","quantity":1}]}
            """, to: "old.json")
    }

    private func writeNotifications() throws {
        let month = try transaction("2", of: "month", type: .autoRenewable).signedTransaction(by: authority)
        let app = #""bundleId":"\#(Self.bundleID)","environment":"Sandbox""#
        try write(
            notification("DID_RENEW", data: #"\#(app),"signedTransactionInfo":"\#(month)","signedRenewalInfo":"\#(renewal())""#),
            to: "month.notification")
        try write(
            """
            {"notificationType":"DID_RENEW","subtype":null,"bundleId":"\(Self.bundleID)","environment":"Sandbox",
             "effect":"recorded",
             "transaction":{"transactionId":"2","productId":"month","type":"Auto-Renewable Subscription","verdict":"paid"},
             "renewal":{"originalTransactionId":"2","autoRenewProductId":"month","autoRenewStatus":1,
                        "renewalDate":\(Self.milliseconds)}}
            """, to: "month.json")
        try write(notification("TEST", data: app), to: "test.notification")
        try write(#"{"notificationType":"TEST","transaction":null,"renewal":null,"effect":"stored"}"#, to: "test.json")
    }

    private func renewal(_ app: String = "") throws -> String {
        try sign(
            #"""
            {\#(app)"originalTransactionId":"2","autoRenewProductId":"month","productId":"month","autoRenewStatus":1,\#
            "renewalDate":\#(Self.milliseconds),"signedDate":\#(Self.milliseconds),"environment":"Sandbox"}
            """#)
    }

    private func notification(_ type: String, data: String) throws -> String {
        try sign(
            #"""
            {"notificationType":"\#(type)","notificationUUID":"3d5b0d3f-3a3c-4f6b-8a77-07b6d1f0a001","data":{\#(data)},\#
            "version":"2.0","signedDate":\#(Self.milliseconds)}
            """#)
    }

    private func sign(_ json: String) throws -> String { try authority.sign(payload: Array(json.utf8), at: Self.date) }
}
