// SPDX-License-Identifier: Apache-2.0

import AppStore
import AppStoreSimulator
import FoundationEssentials
import Testing
import Verification

/// Reader, chain and judge over texts that Apple signed, and that their owner keeps: `Tests/README.md` says how. No such text is in
/// the repository. The other tests show, with texts of their own, that the first one notices whatever is wrong.
@Suite struct GenuineProofTests {
    private static let variable = "COUNTERFOIL_GENUINE"
    private static let folder = ProcessInfo.processInfo.environment[variable].flatMap { $0.isEmpty ? nil : $0 }

    /// By Apple's roots alone, as they are pinned.
    @Test(.enabled(if: folder != nil, "not asked: \(variable) names no folder of texts that Apple signed"))
    func whatAppleSignedIsReadVerifiedAndJudged() async throws {
        for text in try GenuineText.all(in: try #require(Self.folder)) {
            let examination = await GenuineExamination(of: text, trusting: TrustAnchors())
            let complaints = examination.complaints(text.expected)

            let named = text.expected.map { "\(ExpectedFact.object($0).count) facts named by its owner" } ?? "no facts named"
            print("genuine \(text.name): \(examination.summary), \(named), \(complaints.isEmpty ? "all equal" : "DIFFERENT")")
            for complaint in complaints { Issue.record("\(text.name): \(complaint)") }
        }
    }

    @Test func theThreeFormsAndTheirFactsAreKnown() async throws {
        let folder = try GenuineFolder()

        let texts = try folder.texts()

        #expect(
            texts.map(\.name) == [
                "app.jws", "coins.jws", "month.notification", "old.receipt", "renewal.jws", "test.notification", "unnamed.jws",
            ])
        for text in texts { #expect(try await folder.complaints(text.name) == [], "\(text.name)") }
    }

    /// One wrong value among right ones, for each form and each depth.
    @Test(arguments: [
        ("coins.jws", "\"quantity\":2", "\"quantity\":3", "quantity is 2, and 3 was expected"),
        ("coins.jws", "\"verdict\":\"paid\"", "\"verdict\":\"missing\"", "verdict is paid, and missing was expected"),
        ("coins.jws", "\"expiresDate\":null", "\"expiresDate\":1", "expiresDate is absent, and 1 was expected"),
        ("coins.jws", "\"quantity\"", "\"quanttiy\"", "quanttiy is no fact that is compared"),
        ("renewal.jws", "renewalInfo", "appTransaction", "kind is renewalInfo, and appTransaction was expected"),
        ("old.receipt", "\"purchaseCount\":2", "\"purchaseCount\":1", "purchaseCount is 2, and 1 was expected"),
        ("old.receipt", "\"transactionId\":\"2\"", "\"transactionId\":\"4\"", "purchases lacks 4"),
        ("old.receipt", "\"productId\":\"coins\"", "\"productId\":\"gold\"", "purchases 1.productId is coins, and gold was"),
        ("old.receipt", "\"expiresDate\":\"2", "\"expiresDate\":\"3", "purchases 2.expiresDate is 2"),
        ("month.notification", "DID_RENEW", "REFUND", "notificationType is DID_RENEW, and REFUND was expected"),
        ("month.notification", "\"productId\":\"month\"", "\"productId\":\"year\"", "transaction.productId is month, and year"),
        ("month.notification", "\"autoRenewStatus\":1", "\"autoRenewStatus\":0", "renewal.autoRenewStatus is 1, and 0"),
        ("test.notification", "\"transaction\":null", "\"transaction\":{}", "transaction is absent, and an object was expected"),
    ])
    func aWrongFactIsNoticed(name: String, right: String, wrong: String, complaint: String) async throws {
        let folder = try GenuineFolder()
        let facts = name.prefix { $0 != "." } + ".json"
        let text = try folder.contents(of: String(facts))
        try #require(text.contains(right))

        try folder.write(text.replacing(right, with: wrong, maxReplacements: 1), to: String(facts))

        let complaints = try await folder.complaints(name)
        #expect(complaints.count == 1 && complaints[0].hasPrefix(complaint), "\(complaints)")
    }

    @Test(arguments: GenuineFolder.names) func aDamagedSignatureIsNoticed(name: String) async throws {
        let folder = try GenuineFolder()

        try folder.damage(name)

        #expect(try await folder.complaints(name).contains("outcome is bad_signature, and verified was expected"))
    }

    @Test(arguments: GenuineFolder.names) func aRootThatIsNotPinnedIsNoticed(name: String) async throws {
        let folder = try GenuineFolder()

        let complaints = try await folder.complaints(name, trusting: TrustAnchors())

        #expect(complaints.contains("outcome is untrusted_root, and verified was expected"))
    }

    /// As its owner may know that it is, such as an app transaction whose certificate has expired since.
    @Test func aRefusalCanBeExpected() async throws {
        let folder = try GenuineFolder()
        try folder.damage("unnamed.jws")

        try folder.write(#"{"outcome":"bad_signature"}"#, to: "unnamed.json")

        #expect(try await folder.complaints("unnamed.jws") == [])
    }

    @Test func aTextOfAnotherFormIsNoticed() async throws {
        let folder = try GenuineFolder()

        try folder.write(folder.contents(of: "old.receipt"), to: "unnamed.jws")

        #expect(try await folder.complaints("unnamed.jws").contains("it is read as app_receipt"))
    }

    /// A folder whose texts or facts would be passed over in silence.
    @Test(arguments: ["nothing", "facts of no text", "facts that are no JSON", "facts of two texts"])
    func aFolderThatIsNotWholeIsRefused(what: String) throws {
        let folder = try GenuineFolder()
        switch what {
        case "nothing": for name in GenuineFolder.names { try folder.remove(name) }
        case "facts of no text": try folder.write("{}", to: "cions.json")
        case "facts that are no JSON": try folder.write("{", to: "coins.json")
        default: try folder.write(folder.contents(of: "old.receipt"), to: "coins.receipt")
        }

        #expect(throws: GenuineText.Unreadable.self) { _ = try folder.texts() }
    }
}

extension GenuineExamination {
    /// Without anything that says whose it is.
    fileprivate var summary: String {
        ["kind", "outcome", "receiptType", "environment", "notificationType", "purchaseCount", "skipped", "verdict"]
            .compactMap { name in facts[name].map { "\(name) \($0)" } }.joined(separator: ", ")
    }
}
