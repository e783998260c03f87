// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Testing
import Verification

@Suite
struct SignedTransactionPayloadTests {
    let fixture: SigningFixture

    init() throws {
        fixture = try SigningFixture()
    }

    @Test
    func fewestFieldsMakeAPurchaseOfOne() async throws {
        let transaction = try await fixture.verdict(onPayload: PayloadText.json()).get()

        let id = TransactionID(rawValue: "430000000000001")
        #expect(
            transaction
                == Transaction(
                    bundleID: SigningFixture.bundleID, environment: .production, id: id, originalID: id,
                    productID: ProductID(rawValue: "com.example.app.coins"), purchaseDate: SigningFixture.purchaseDate
                )
        )
    }

    @Test(arguments: [
        ("Consumable", ProductKind.consumable),
        ("Non-Consumable", .nonConsumable),
        ("Non-Renewing Subscription", .nonRenewing),
        ("Auto-Renewable Subscription", .autoRenewable),
        ("Rented Film", nil),
    ])
    func typeIsAProductKindWhenItIsKnown(type: String, kind: ProductKind?) async throws {
        let transaction = try await fixture.verdict(onPayload: PayloadText.json(["type": "\"\(type)\""])).get()

        #expect(transaction.productKind == kind)
    }

    @Test(arguments: [
        ("an unknown field", ["newField": #"{"deep":[1,{"x":null}]}"#]),
        ("an unknown reason", ["transactionReason": #""GIFT""#, "offerDiscountType": #""HALF""#, "offerType": "99"]),
        ("a known field of another type", ["price": #""free""#, "storefront": "12", "expiresDate": #""soon""#]),
        ("nulls", ["webOrderLineItemId": "null", "quantity": "null", "revocationDate": "null", "type": "null"]),
        ("an empty token", ["appAccountToken": #""""#]),
        ("a type of another type", ["type": "4"]),
    ])
    func whatAppleMayAddDoesNotMatter(name: String, changes: [String: String]) async throws {
        let transaction = try await fixture.verdict(onPayload: PayloadText.json(changes)).get()

        #expect(transaction.quantity == 1 && transaction.ownership == .purchased && transaction.revocation == nil)
        #expect(transaction.appAccountToken == nil && transaction.productKind == nil)
    }

    @Test(arguments: [
        (nil, Transaction.Ownership.purchased), ("null", .purchased), (#""PURCHASED""#, .purchased),
        (#""FAMILY_SHARED""#, .familyShared), (#""ASSIGNED""#, .assigned), (#""LENT""#, .unknown), (#""purchased""#, .unknown),
        (#""""#, .unknown), ("1", .unknown), ("{}", .unknown),
    ])
    func onlyTheExactWordIsAPurchase(ownership: String?, expected: Transaction.Ownership) async throws {
        let changes = ownership.map { ["inAppOwnershipType": $0] } ?? [:]

        let transaction = try await fixture.verdict(onPayload: PayloadText.json(changes)).get()

        #expect(transaction.ownership == expected)
    }

    @Test(arguments: [
        (nil, nil), ("null", nil), (#""""#, nil), (#""SEAT_ADDITION""#, .seatAddition), (#""seat_addition""#, .unknown),
        (#""GIFT""#, .unknown), ("1", .unknown), ("{}", .unknown),
    ] as [(String?, Transaction.AdditionalReason?)])
    func aFurtherTransactionOfAPeriodIsSeen(reason: String?, expected: Transaction.AdditionalReason?) async throws {
        let changes = reason.map { ["additionalTransactionReason": $0] } ?? [:]

        let transaction = try await fixture.verdict(onPayload: PayloadText.json(changes)).get()

        #expect(transaction.additionalReason == expected)
    }

    @Test(arguments: [
        (nil, false), ("null", false), ("{}", true), (#"{"requestReferenceId":"r","items":[]}"#, true), (#""odd""#, true),
        ("0", true), ("false", true), ("[]", true),
    ])
    func advancedCommerceIsSeenInWhateverForm(info: String?, isSeen: Bool) async throws {
        let changes = info.map { ["advancedCommerceInfo": $0] } ?? [:]

        let transaction = try await fixture.verdict(onPayload: PayloadText.json(changes)).get()

        #expect(transaction.isAdvancedCommerce == isSeen)
    }

    @Test(arguments: [
        ("1697679936049", 1_697_679_936.049),
        ("1697679936049.7297", 1_697_679_936.049),
        ("1.697679936049E12", 1_697_679_936.049),
        ("1.6976799360497297e+12", 1_697_679_936.049),
        ("1697679936000.0", 1_697_679_936),
    ])
    func millisecondsAreAnyNumberRoundedDown(number: String, seconds: TimeInterval) async throws {
        let transaction = try await fixture.verdict(onPayload: PayloadText.json(["purchaseDate": number])).get()

        #expect(transaction.purchaseDate == Date(timeIntervalSince1970: seconds))
    }

    @Test(arguments: [
        ("no transaction id", PayloadText.json(leavingOut: "transactionId")),
        ("a number as transaction id", PayloadText.json(["transactionId": "430000000000001"])),
        ("an empty transaction id", PayloadText.json(["transactionId": #""""#])),
        ("a signing date that is text", PayloadText.json(["signedDate": #""today""#])),
        ("a signing date before 1970", PayloadText.json(["signedDate": "-1"])),
        ("a signing date past all calendars", PayloadText.json(["signedDate": "1e300"])),
        ("an array", "[\(PayloadText.json())]"),
        ("a string", #""transaction""#),
        ("deep nesting", String(repeating: "[", count: 20_000) + String(repeating: "]", count: 20_000)),
    ])
    func payloadThatIsNoTransactionIsMalformed(name: String, json: String) async throws {
        let verdict = try await fixture.verdict(onPayload: json)

        #expect(verdict == .failure(.malformedProof))
    }

    @Test(arguments: [
        ("none", PayloadText.json(leavingOut: "environment")),
        ("a number", PayloadText.json(["environment": "1"])),
        ("Xcode", PayloadText.json(["environment": #""Xcode""#])),
        ("LocalTesting", PayloadText.json(["environment": #""LocalTesting""#])),
        ("another case", PayloadText.json(["environment": #""production""#])),
        ("a new one", PayloadText.json(["environment": #""Staging""#])),
    ])
    func environmentOtherThanTheTwoStoresIsUnsupported(name: String, json: String) async throws {
        let verdict = try await fixture.verdict(onPayload: json)

        #expect(verdict == .failure(.unsupportedEnvironment))
    }

    @Test(arguments: [
        ("no product", PayloadText.json(leavingOut: "productId")),
        ("no purchase date", PayloadText.json(leavingOut: "purchaseDate")),
        ("a purchase date that is text", PayloadText.json(["purchaseDate": #""today""#])),
        ("a revocation date that is text", PayloadText.json(["revocationDate": #""today""#])),
        ("a quantity of none", PayloadText.json(["quantity": "0"])),
        ("a quantity that is text", PayloadText.json(["quantity": #""2""#])),
        ("a token that is no UUID", PayloadText.json(["appAccountToken": #""me""#])),
        ("a token that is a number", PayloadText.json(["appAccountToken": "5"])),
        ("an original id that is a number", PayloadText.json(["originalTransactionId": "5"])),
        ("a line item that is a number", PayloadText.json(["webOrderLineItemId": "5"])),
    ])
    func genuineTransactionWithoutAFactIsLeftToAPerson(name: String, json: String) async throws {
        let verdict = try await fixture.verdict(onPayload: json)

        #expect(verdict == .failure(.unknownAnswer))
    }

    @Test
    func payloadWithoutAnAppIsNoBusinessOfAFurtherRoot() async throws {
        let verdict = try await fixture.verdict(onPayload: PayloadText.json(leavingOut: "bundleId"))

        #expect(verdict == .failure(.untrustedRoot))
    }
}
