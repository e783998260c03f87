// SPDX-License-Identifier: Apache-2.0

import AppStoreSimulator
import FoundationEssentials
import Testing
import Verification
import X509

@testable import AppStore

/// Transactions with facts that can't be read: an operator's, if the signature holds, and a forgery like any other, if it doesn't.
@Suite
struct OddTransactionTests {
    struct Case: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let json: String
        let faults: [String]
        /// Whether the rest is enough for an operator.
        let hasRest: Bool

        init(_ name: String, _ json: String, _ fault: String..., hasRest: Bool = true) {
            testDescription = name
            self.json = json
            faults = fault
            self.hasRest = hasRest
        }
    }

    static let cases: [Case] = [
        Case("no id", PayloadText.json(leavingOut: "transactionId"), "transactionId is missing", hasRest: false),
        Case("an empty id", PayloadText.json(["transactionId": #""""#]), "transactionId can't be read", hasRest: false),
        Case("an id with a fraction", PayloadText.json(["transactionId": "1.5"]), "transactionId can't be read", hasRest: false),
        Case("an id below none", PayloadText.json(["transactionId": "-4"]), "transactionId can't be read", hasRest: false),
        Case("an endless id", PayloadText.json(["transactionId": "1e300"]), "transactionId can't be read", hasRest: false),
        Case(
            "no original id", PayloadText.json(leavingOut: "originalTransactionId"), "originalTransactionId is missing",
            hasRest: false),
        Case("no product", PayloadText.json(leavingOut: "productId"), "productId is missing", hasRest: false),
        Case("an empty product", PayloadText.json(["productId": #""""#]), "productId can't be read", hasRest: false),
        Case("no environment", PayloadText.json(leavingOut: "environment"), "environment is missing", hasRest: false),
        Case("an environment in numbers", PayloadText.json(["environment": "1"]), "environment can't be read", hasRest: false),
        Case("an empty environment", PayloadText.json(["environment": #""""#]), "environment can't be read", hasRest: false),
        Case(
            "another case", PayloadText.json(["environment": #""production""#]), "environment can't be read", hasRest: false),
        Case("a new environment", PayloadText.json(["environment": #""Staging""#]), "environment can't be read", hasRest: false),
        Case("a signing date in words", PayloadText.json(["signedDate": #""today""#]), "signedDate can't be read"),
        Case("a signing date before 1970", PayloadText.json(["signedDate": "-1"]), "signedDate can't be read"),
        Case("a signing date past all calendars", PayloadText.json(["signedDate": "1e300"]), "signedDate can't be read"),
        Case("no purchase date", PayloadText.json(leavingOut: "purchaseDate"), "purchaseDate is missing"),
        Case("a purchase date in words", PayloadText.json(["purchaseDate": #""today""#]), "purchaseDate can't be read"),
        Case(
            "an original purchase date in words", PayloadText.json(["originalPurchaseDate": #""then""#]),
            "originalPurchaseDate can't be read"),
        Case("an end in words", PayloadText.json(["expiresDate": #""soon""#]), "expiresDate can't be read"),
        Case("a revocation date in words", PayloadText.json(["revocationDate": #""today""#]), "revocationDate can't be read"),
        Case("a reason of Apple's future", PayloadText.json(["transactionReason": #""GIFT""#]), "transactionReason can't be read"),
        Case("a reason in small type", PayloadText.json(["transactionReason": #""renewal""#]), "transactionReason can't be read"),
        Case("an empty reason", PayloadText.json(["transactionReason": #""""#]), "transactionReason can't be read"),
        Case("a reason in numbers", PayloadText.json(["transactionReason": "1"]), "transactionReason can't be read"),
        Case("a type of Apple's future", PayloadText.json(["type": #""Rented Film""#]), "type can't be read"),
        Case("a type in numbers", PayloadText.json(["type": "4"]), "type can't be read"),
        Case("an empty type", PayloadText.json(["type": #""""#]), "type can't be read"),
        Case("a quantity of none", PayloadText.json(["quantity": "0"]), "quantity can't be read"),
        Case("a quantity in words", PayloadText.json(["quantity": #""2""#]), "quantity can't be read"),
        Case("a quantity with a fraction", PayloadText.json(["quantity": "1.5"]), "quantity can't be read"),
        Case("a token that is no UUID", PayloadText.json(["appAccountToken": #""me""#]), "appAccountToken can't be read"),
        Case("a token in numbers", PayloadText.json(["appAccountToken": "5"]), "appAccountToken can't be read"),
        Case("a line item with a fraction", PayloadText.json(["webOrderLineItemId": "0.5"]), "webOrderLineItemId can't be read"),
        Case("an upgrade in words", PayloadText.json(["isUpgraded": #""true""#]), "isUpgraded can't be read"),
        Case(
            "two facts", PayloadText.json(["quantity": "0", "type": "4"]), "type can't be read", "quantity can't be read"),
    ]

    let fixture: SigningFixture

    init() throws {
        fixture = try SigningFixture()
    }

    private func sign(_ json: String, forged: ForgedVariant? = nil) throws -> String {
        try fixture.authority.sign(payload: Array(json.utf8), at: SigningFixture.purchaseDate, forged: forged)
    }

    private func odd(_ contents: VerifiedProof) -> OddProof? {
        if case .odd(let odd) = contents { odd } else { nil }
    }

    @Test(arguments: cases)
    func signedAndOddIsLeftToAnOperatorByName(_ row: Case) async throws {
        let jws = try sign(row.json)

        let odd = try #require(odd(try await fixture.verifier().contents(of: jws)))

        #expect(odd.faults == row.faults)
        #expect((odd.rest != nil) == row.hasRest)
        #expect(await SigningFixture.verdict(of: try fixture.verifier(), on: jws) == .failure(.unknownAnswer))
    }

    @Test(arguments: cases)
    func oddAndForgedIsAForgery(_ row: Case) async throws {
        let forgeries: [(ForgedVariant, Reason)] = [
            (.payloadSwapped, .badSignature), (.signatureByOtherKey, .badSignature), (.foreignRoot, .untrustedRoot),
            (.missingLeafOID, .badCertificate), (.missingIntermediateOID, .badCertificate),
            (.selfSigned, .malformedProof), (.algNone, .malformedProof),
        ]
        let remembering = try fixture.verifier()
        _ = try await remembering.contents(of: sign(row.json))

        for (variant, reason) in forgeries {
            let forged = try sign(row.json, forged: variant)
            #expect(await SigningFixture.verdict(of: try fixture.verifier(), on: forged) == .failure(reason), "\(variant)")
            #expect(await SigningFixture.verdict(of: remembering, on: forged) == .failure(reason), "\(variant), remembered")
        }
    }

    /// The rest is what an operator may grant.
    @Test
    func theRestHoldsTheFactsThatCanBeRead() async throws {
        let whole = try await fixture.verdict(onPayload: PayloadText.json(["quantity": "3"])).get()
        let jws = try sign(PayloadText.json(["quantity": "3", "type": "4", "signedDate": #""today""#]))

        let odd = try #require(odd(try await fixture.verifier().contents(of: jws)))

        #expect(odd.rest == whole)
        #expect(odd.message == "its type can't be read, its signedDate can't be read")
    }

    @Test
    func aPurchaseWithoutADateIsDatedToItsSignature() async throws {
        let jws = try sign(PayloadText.json(leavingOut: "purchaseDate"))

        let odd = try #require(odd(try await fixture.verifier().contents(of: jws)))

        #expect(odd.rest?.purchaseDate == SigningFixture.purchaseDate)
    }

    /// An operator assigns what Apple answered: what the answer lacks is known by the question. What stands there and differs, or
    /// can't be read, is another matter.
    @Test(
        arguments: [
            ("bundleId", nil, true), ("productId", nil, true), ("transactionId", nil, true), ("originalTransactionId", nil, true),
            ("environment", nil, true), ("bundleId", #""com.example.other""#, false), ("bundleId", "1", false),
            ("productId", "1", false),
            ("productId", #""""#, false), ("transactionId", #""430000000000002""#, false), ("environment", #""Sandbox""#, false),
            ("environment", #""Staging""#, false), ("purchaseDate", nil, true),
        ] as [(String, String?, Bool)])
    func whatAnAnswerLacksIsTakenFromTheQuestion(field: String, value: String?, isCompleted: Bool) async throws {
        let whole = try await fixture.verdict(onPayload: PayloadText.json()).get()
        let asked = OddProof.Asked(
            bundleID: whole.bundleID, environment: whole.environment, id: whole.id, productID: whole.productID)
        let json = value.map { PayloadText.json([field: $0]) } ?? PayloadText.json(leavingOut: field)

        let payload = try JSONDecoder().decode(SignedTransactionPayload.self, from: Data(json.utf8))

        #expect(payload.transaction(answering: asked) == (isCompleted ? whole : nil))
    }

    @Test
    func anOddProofIsCompletedByItsQuestionAndAForgedOneIsNone() async throws {
        let asked = OddProof.Asked(
            bundleID: SigningFixture.bundleID, environment: .production, id: TransactionID(rawValue: "430000000000001"),
            productID: ProductID(rawValue: "com.example.app.coins"))
        let json = PayloadText.json(leavingOut: "productId")

        let odd = try #require(odd(try await fixture.verifier().contents(of: try sign(json))))

        #expect(odd.rest == nil && odd.completed(by: asked)?.productID == asked.productID)
        #expect(
            await SigningFixture.verdict(of: try fixture.verifier(), on: try sign(json, forged: .signatureByOtherKey))
                == .failure(.badSignature))
    }

    /// Without a date to judge it at, a chain is judged at its leaf's beginning; one that ends in no trusted root stays untrusted.
    @Test
    func aChainThatExpiredLongAgoVouchesForAnOddTransactionAsForAnyOther() async throws {
        let years: TimeInterval = 365 * 86_400
        let old = try SimulatedCertificateAuthority(now: Date().addingTimeInterval(-12 * years))
        let anchors = TrustAnchors(further: [
            try ExtraRoot(certificate: old.rootCertificateDER, bundleIDs: [SigningFixture.bundleID])
        ])
        let json = PayloadText.json(["signedDate": "-1"])
        let jws = try old.sign(payload: Array(json.utf8), at: SigningFixture.purchaseDate)

        let odd = odd(try await SignedTransactionVerifier(anchors: anchors).contents(of: jws))
        let untrusted = await SigningFixture.verdict(of: try fixture.verifier(), on: jws)

        #expect(odd?.faults == ["signedDate can't be read"])
        #expect(untrusted == .failure(.untrustedRoot))
    }

    /// A payload that names no app is vouched for by Apple alone.
    @Test(arguments: [
        ("an array", "[\(PayloadText.json())]", "payload is no JSON object"),
        ("a text", #""transaction""#, "payload is no JSON object"),
        ("no JSON", "not JSON", "payload is no JSON object"),
        (
            "deep nesting", String(repeating: "[", count: 20_000) + String(repeating: "]", count: 20_000),
            "payload is no JSON object"
        ),
        ("no app", PayloadText.json(leavingOut: "bundleId"), "bundleId is missing"),
        ("an empty app", PayloadText.json(["bundleId": #""""#]), "bundleId can't be read"),
        ("an app in numbers", PayloadText.json(["bundleId": "1"]), "bundleId can't be read"),
    ])
    func payloadWithoutAnAppIsNoBusinessOfAFurtherRoot(name: String, json: String, fault: String) async throws {
        let jws = try sign(json)

        // As if Apple had signed it.
        let odd = odd(try SignedTransaction(jws).contents(besides: []))

        #expect(odd?.faults == [fault])
        #expect(odd?.rest == nil)
        #expect(await SigningFixture.verdict(of: try fixture.verifier(), on: jws) == .failure(.untrustedRoot))
        let forged = try SignedTransaction(sign(json, forged: .signatureByOtherKey))
        let certificates = fixture.authority.chain
        let key = try #require(LeafKey(certificates[0].publicKey))
        let apples = try #require(ValidatedChain(leafKey: key, anchor: .apple, certificates: certificates))
        #expect(throws: Reason.badSignature) { try apples.verify(forged.jws, of: forged.bundleID) }
    }
}
