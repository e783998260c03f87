// SPDX-License-Identifier: Apache-2.0

import AppStoreSimulator
import FoundationEssentials
import Testing

@testable import counterfoil

@Suite struct InspectTests {
    private static let bundle = "com.example.game"

    /// One for all tests: RSA keys take their time.
    private static let shared = Result { try SimulatedCertificateAuthority() }

    private struct Report: Decodable {
        struct Purchase: Decodable, Equatable {
            let transaction_id: String
            let original_transaction_id: String?
            let product_id: String?
            let quantity: Int?
            let purchased_at: String?
            let revoked_at: String?
        }

        let proof: String?
        let verified: Bool
        let vouched_by: String?
        let reason: String?
        let bundle_id: String?
        let environment: String?
        let transactions: [Purchase]
    }

    private static func transaction(_ id: String = "430000000000001") -> SimulatedTransaction {
        SimulatedTransaction(
            productId: "coins", bundleId: bundle, quantity: 2,
            purchaseDate: Date(timeIntervalSince1970: Date().timeIntervalSince1970.rounded(.down)), transactionId: id)
    }

    /// Runs `inspect` on standard input; nothing is configured but the root that is trusted, for some app.
    private static func inspect(
        _ proof: String, arguments: [String] = ["-"], trustsFor bundle: String? = bundle
    ) async throws -> Program.Ended {
        try await TemporaryFolder.with { folder in
            let root = try folder.write(try shared.get().rootCertificateDER, to: "root.der")
            let environment = bundle.map { ["COUNTERFOIL_EXTRA_ROOTS": "\(root)=\($0)"] } ?? [:]
            return try await Program.run(["inspect"] + arguments, environment: environment, input: proof)
        }
    }

    private static func report(_ ended: Program.Ended) throws -> Report {
        try JSONDecoder().decode(Report.self, from: Data(ended.output.utf8))
    }

    /// What a forger calls his product doesn't become facts of the line.
    @Test func aPurchasesLineHasOneWordForEachFact() async throws {
        var transaction = Self.transaction("1")
        transaction.productId = "coins quantity=99 \u{202E}x"
        let receipt = SimulatedReceipt(
            bundleId: Self.bundle, environment: .sandbox, transactions: [transaction], signedBy: try Self.shared.get())

        let ended = try await Self.inspect(receipt.base64)

        let line = try #require(ended.output.split(separator: "\n").first { $0.hasPrefix("transaction ") })
        #expect(line.contains(#"product_id="coins quantity=99 \\u{202e}x" quantity=2"#))
    }

    @Test func eachPurchaseOfAGenuineReceiptHasItsLine() async throws {
        let transactions = [Self.transaction("1"), Self.transaction("2")]
        let receipt = SimulatedReceipt(
            bundleId: Self.bundle, environment: .sandbox, transactions: transactions, signedBy: try Self.shared.get())

        let ended = try await Self.inspect(receipt.base64)

        let lines = ended.output.split(separator: "\n").filter { $0.hasPrefix("transaction ") }
        #expect(ended.status == .exited(0))
        #expect(ended.errors == "")
        #expect(Set(lines.map { $0.split(separator: " ")[1] }) == ["1", "2"])
        #expect(lines.allSatisfy { $0.contains("product_id=coins quantity=2") && !$0.contains("unverified") })
        #expect(ended.output.contains("verified     yes"))
        #expect(ended.output.contains("vouched_by   further_root"))
        #expect(ended.output.contains("environment  ProductionSandbox"))
    }

    @Test func genuineTransactionIsVerified() async throws {
        var transaction = Self.transaction()
        transaction.revocationDate = transaction.purchaseDate.addingTimeInterval(60)
        let jws = try transaction.signedTransaction(by: Self.shared.get())

        let report = try Self.report(try await Self.inspect(jws + "\n", arguments: ["-", "--json"]))

        #expect(report.proof == "signed_transaction")
        #expect(report.verified)
        #expect(report.vouched_by == "further_root")
        #expect(report.reason == nil)
        #expect(report.bundle_id == Self.bundle)
        #expect(report.environment == "Production")
        #expect(
            report.transactions == [
                Report.Purchase(
                    transaction_id: transaction.transactionId, original_transaction_id: transaction.transactionId,
                    product_id: "coins", quantity: 2, purchased_at: transaction.purchaseDate.formatted(.iso8601),
                    revoked_at: transaction.revocationDate?.formatted(.iso8601))
            ])
    }

    @Test(arguments: [ForgedReceiptVariant.contentReplaced, .wrongLeafOID, .foreignRoot, .xcodeType, .twoSigners])
    func forgedOrOddReceiptIsNotVerified(variant: ForgedReceiptVariant) async throws {
        let receipt = SimulatedReceipt(bundleId: Self.bundle, transactions: [Self.transaction()])
        let forged = try receipt.signed(by: Self.shared.get(), forged: variant)

        let ended = try await Self.inspect(forged, arguments: ["-", "--json"])

        let report = try Self.report(ended)
        let reasons: [ForgedReceiptVariant: String] = [
            .contentReplaced: "bad_signature", .wrongLeafOID: "bad_certificate", .foreignRoot: "untrusted_root",
            .xcodeType: "unsupported_environment", .twoSigners: "unknown_answer",
        ]
        #expect(ended.status == .exited(1))
        #expect(ended.errorLines.count == 1)
        #expect(!report.verified)
        #expect(report.vouched_by == (variant == .twoSigners ? "further_root" : nil))
        #expect(report.reason == reasons[variant])
    }

    @Test func whatAForgedTransactionClaimsIsMarkedAsUnverified() async throws {
        let forged = try Self.transaction().signedTransaction(by: Self.shared.get(), forged: .signatureByOtherKey)

        let ended = try await Self.inspect(forged)

        #expect(ended.status == .exited(1))
        #expect(ended.output.contains("verified     no"))
        #expect(ended.output.contains("\ntransaction 430000000000001 unverified "))
        #expect(ended.errors == "counterfoil: the proof is not verified: the signature is not over these contents\n")
    }

    private struct LineReport: Decodable, Equatable {
        let line: Int
        let proof: String?
        let verdict: String
        let reason: String?
        let vouched_by: String?
        let bundle_id: String?
        let transactions: [Report.Purchase]?
    }

    /// A verdict a line, in order, whatever the lines are; and nothing of what isn't genuine.
    @Test func eachLineHasAVerdict() async throws {
        let authority = try Self.shared.get()
        let date = Int64(Date().timeIntervalSince1970 * 1000)
        let app = #"{"receiptType":"Production","bundleId":"\#(Self.bundle)","receiptCreationDate":\#(date)}"#
        let odd = #"{"transactionId":"7","bundleId":"\#(Self.bundle)","signedDate":\#(date),"environment":"Production"}"#
        let forged = try Self.transaction("99").signedTransaction(by: authority, forged: .payloadSwapped)
        let lines = [
            try Self.transaction("1").signedTransaction(by: authority), forged, "", "hello \u{1F600}",
            try authority.sign(payload: Array(app.utf8), at: Date()), try authority.sign(payload: Array(odd.utf8), at: Date()),
            "430000000000001\r",
            String(repeating: "A", count: 4 * 1024 * 1024 + 10), try Self.transaction("2").signedTransaction(by: authority),
        ]

        let ended = try await Self.inspect(lines.joined(separator: "\n"), arguments: ["-", "--lines"])

        let reports = try ended.output.split(separator: "\n").map { try JSONDecoder().decode(LineReport.self, from: Data($0.utf8)) }
        #expect(ended.status == .exited(0))
        #expect(reports.map(\.line) == Array(1...9))
        #expect(
            reports.map(\.verdict) == [
                "verified", "refused", "refused", "refused", "not_a_purchase", "odd", "unknown", "refused", "verified",
            ])
        #expect(
            reports.map(\.reason) == [
                nil, "bad_signature", "malformed_proof", "malformed_proof", "not_a_purchase", "unknown_answer", nil,
                "proof_too_large", nil,
            ])
        #expect(reports[0].transactions?.map(\.transaction_id) == ["1"] && reports[8].transactions?.map(\.transaction_id) == ["2"])
        #expect(reports[1].transactions == nil && reports[1].bundle_id == nil && reports[1].vouched_by == nil)
        #expect(reports[4].vouched_by == "further_root")
        // No part of a proof is in the output.
        for line in lines where line.count > 100 { #expect(!ended.output.contains(line.suffix(80))) }
    }

    @Test func linesAndJSONExcludeEachOther() async throws {
        #expect(try await Self.inspect("", arguments: ["-", "--lines", "--json"]).status == .exited(64))
    }

    /// It is genuine, and no purchase: the first line says both.
    @Test func signedTextWithoutAPurchaseIsNamedInTheFirstLine() async throws {
        let date = Int64(Date().timeIntervalSince1970 * 1000)
        let app = #"{"receiptType":"Production","bundleId":"\#(Self.bundle)","receiptCreationDate":\#(date)}"#
        let jws = try Self.shared.get().sign(payload: Array(app.utf8), at: Date())

        let ended = try await Self.inspect(jws)

        let first = try #require(ended.output.split(separator: "\n").first)
        #expect(ended.status == .exited(1))
        #expect(first.contains(", not a purchase: an app transaction"))
        #expect(ended.output.contains("not_a_purchase"))
        #expect(ended.errors == "counterfoil: \(first)\n")
    }

    @Test(arguments: [nil, "com.example.other"])
    func rootIsTrustedForItsAppsOnly(bundle: String?) async throws {
        let receipt = SimulatedReceipt(
            bundleId: Self.bundle, transactions: [Self.transaction()], signedBy: try Self.shared.get())

        let ended = try await Self.inspect(receipt.base64, arguments: ["-", "--json"], trustsFor: bundle)

        #expect(ended.status == .exited(1))
        #expect(try Self.report(ended).reason == "untrusted_root")
    }

    @Test func iOS6StyleReceiptIsNamed() async throws {
        let ended = try await Self.inspect(#"{ "signature" = "AA=="; "purchase-info" = "eyAidHJhbnNhY3Rpb24taWQiID0gIjEiOyB9"; }"#)

        #expect(ended.status == .exited(1))
        #expect(ended.output.contains("an iOS 6 style receipt: send the app receipt"))
    }

    @Test func bareTransactionIDIsForAppleToTell() async throws {
        let ended = try await Self.inspect("430000000000001\n")

        #expect(ended.status == .exited(1))
        #expect(ended.output.contains("proof        transaction_id"))
        #expect(ended.output.contains("only Apple knows"))
        #expect(ended.output.hasSuffix("\ntransaction 430000000000001 unverified\n"))
    }

    @Test func whatIsNoProofIsMalformed() async throws {
        let ended = try await Self.inspect("hello", arguments: ["-", "--json"])

        let report = try Self.report(ended)
        #expect(ended.status == .exited(1))
        #expect(report.proof == nil)
        #expect(report.reason == "malformed_proof")
        #expect(report.transactions == [])
    }

    @Test func repairsAreShown() async throws {
        let jws = try Self.transaction().signedTransaction(by: Self.shared.get())

        let ended = try await Self.inspect(#"{"jwsRepresentation":"\#(jws)"}"#)

        #expect(ended.status == .exited(0))
        #expect(ended.output.contains("repaired     json object"))
    }

    @Test func wrappedForgeryIsNotVerified() async throws {
        let forged = try Self.transaction().signedTransaction(by: Self.shared.get(), forged: .payloadSwapped)

        let report = try Self.report(try await Self.inspect(#""\#(forged)""#, arguments: ["-", "--json"]))

        #expect(!report.verified)
        #expect(report.reason == "bad_signature")
    }

    @Test(arguments: [
        ("DE305D54-75B4-431B-ADB2-EB6B9E546014", "a UUID: Apple's transaction ids are digits"),
        (#"{"transactionId":"1","bundleId":"a","signedDate":1}"#, "a decoded transaction: send `jwsRepresentation`"),
    ])
    func knownMistakeIsNamed(proof: String, mistake: String) async throws {
        let ended = try await Self.inspect(proof)

        #expect(ended.status == .exited(1))
        #expect(ended.errors == "counterfoil: the proof is not verified: \(mistake)\n")
    }

    /// The last plus of a receipt is a space after a form's encoding. Editors add a line end behind it.
    @Test(arguments: ["", "\n", "\r\n"])
    func spaceAtTheEndOfAFileIsAPartOfTheProof(lineEnd: String) async throws {
        let bytes: [UInt8] = [0x30, 0x82, 0x00, 0x08, 0, 0, 0xFB, 0xEF, 0xBE, 0xFB, 0xEF, 0xBE]
        let receipt = Data(bytes).base64EncodedString()
        try #require(receipt.hasSuffix("+"))

        let report = try Self.report(
            try await Self.inspect(receipt.replacing("+", with: " ") + lineEnd, arguments: ["-", "--json"]))

        #expect(report.proof == "app_receipt")
    }

    @Test(arguments: ["", "\n", " \t\r\n"])
    func fileWithoutAProofIsBadInput(text: String) async throws {
        #expect(try await Self.inspect(text).status == .exited(65))
    }

    @Test func proofIsReadFromAFile() async throws {
        let jws = try Self.transaction().signedTransaction(by: Self.shared.get())

        let (found, missing) = try await TemporaryFolder.with { folder in
            let file = try folder.write(Array(jws.utf8), to: "proof.jws")
            return (
                try await Self.inspect("", arguments: [file]),
                try await Self.inspect("", arguments: [file + ".missing"])
            )
        }

        #expect(found.status == .exited(0))
        #expect(missing.status == .exited(65))
        #expect(missing.errorLines.count == 1)
    }

    @Test func aRootThatCannotBeReadIsAFaultOfConfiguration() async throws {
        let ended = try await Program.run(
            ["inspect", "-"], environment: ["COUNTERFOIL_EXTRA_ROOTS": "/missing.der=com.example.game"])

        #expect(ended.status == .exited(78))
    }
}
