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
    ])
    func typeIsAProductKind(type: String, kind: ProductKind) async throws {
        let transaction = try await fixture.verdict(onPayload: PayloadText.json(["type": "\"\(type)\""])).get()

        #expect(transaction.productKind == kind)
    }

    @Test(arguments: [
        ("an unknown field", ["newField": #"{"deep":[1,{"x":null}]}"#]),
        ("an unknown offer", ["offerDiscountType": #""HALF""#, "offerType": "99"]),
        ("a known field of another type", ["price": #""free""#, "storefront": "12", "currency": "{}"]),
        ("nulls", ["webOrderLineItemId": "null", "quantity": "null", "revocationDate": "null", "type": "null"]),
        ("an empty token", ["appAccountToken": #""""#]),
        ("an empty line item", ["webOrderLineItemId": #""""#]),
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

    /// Apple shares no consumable: a person has to look.
    @Test(arguments: [
        ("Consumable", "FAMILY_SHARED", true), ("Consumable", "ASSIGNED", true), ("Consumable", "PURCHASED", false),
        ("Non-Consumable", "FAMILY_SHARED", false), ("Auto-Renewable Subscription", "ASSIGNED", false),
    ])
    func aSharedConsumableIsOdd(type: String, ownership: String, isOdd: Bool) async throws {
        let verdict = try await fixture.verdict(
            onPayload: PayloadText.json(["type": "\"\(type)\"", "inAppOwnershipType": "\"\(ownership)\""]))

        #expect((verdict == .failure(.unknownAnswer)) == isOdd)
    }

    @Test(
        arguments: [
            (nil, nil), ("null", nil), (#""""#, nil), (#""SEAT_ADDITION""#, .seatAddition), (#""seat_addition""#, .unknown),
            (#""GIFT""#, .unknown), ("1", .unknown), ("{}", .unknown),
        ] as [(String?, Transaction.AdditionalReason?)])
    func aFurtherTransactionOfAPeriodIsSeen(reason: String?, expected: Transaction.AdditionalReason?) async throws {
        let changes = reason.map { ["additionalTransactionReason": $0] } ?? [:]

        let transaction = try await fixture.verdict(onPayload: PayloadText.json(changes)).get()

        #expect(transaction.additionalReason == expected)
    }

    /// Nobody knows what a further word would mean for a period that no order claims.
    @Test(
        arguments: [
            (nil, nil), ("null", nil), (#""PURCHASE""#, .purchase), (#""RENEWAL""#, .renewal),
        ] as [(String?, Transaction.PurchaseReason?)])
    func whoMadeThePurchaseIsSeen(reason: String?, expected: Transaction.PurchaseReason?) async throws {
        let changes = reason.map { ["transactionReason": $0] } ?? [:]

        let transaction = try await fixture.verdict(onPayload: PayloadText.json(changes)).get()

        #expect(transaction.purchaseReason == expected)
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
        ("a number", "1990", "USD", SignedPrice(milliunits: 1990, currency: "USD")),
        ("nothing paid", "0", "EUR", SignedPrice(milliunits: 0, currency: "EUR")),
        ("below nothing", "-1", "USD", nil),
        ("a fraction", "0.5", "USD", nil),
        ("beyond all numbers", "1e300", "USD", nil),
        ("words", #""free""#, "USD", nil),
        ("a currency in small letters", "1990", "usd", nil),
        ("a currency of four letters", "1990", "EURO", nil),
        ("no currency", "1990", "", nil),
    ])
    func priceIsKeptAsSignedAndChangesNothing(
        name: String, price: String, currency: String, expected: SignedPrice?
    ) async throws {
        let plain = try await fixture.verdict(onPayload: PayloadText.json()).get()

        var transaction = try await fixture.verdict(
            onPayload: PayloadText.json(["price": price, "currency": "\"\(currency)\""])
        ).get()

        #expect(transaction.price == expected)
        transaction.price = nil
        #expect(transaction == plain)
    }

    @Test(
        arguments: [
            ("a storefront", ["storefront": #""DEU""#], #"{"storefront":"DEU"}"#),
            (
                "an offer",
                [
                    "offerType": "3", "offerIdentifier": #""Summer \"26""#, "offerPeriod": #""P1M""#,
                    "offerDiscountType": #""FREE_TRIAL""#,
                ],
                #"{"offer_type":3,"offer_id":"Summer \"26","offer_period":"P1M","offer_discount":"FREE_TRIAL"}"#
            ),
            (
                "a year that is paid by the month",
                [
                    "billingPlanType": #""MONTHLY""#,
                    "commitmentInfo": #"{"billingPeriodNumber":2,"totalBillingPeriods":12,"commitmentExpiresDate":1700000000000}"#,
                ],
                #"{"billing_plan":"MONTHLY","payment_number":2,"payment_count":12,"commitment_ends_at":1700000000000}"#
            ),
            ("seats", ["multiSeatInfo": "{}", "quantity": "12"], #"{"has_seats":true}"#),
            ("a plan that nobody knows", ["billingPlanType": #""WEEKLY""#], #"{"billing_plan":"WEEKLY"}"#),
            ("nothing", [:], nil),
            ("other types", ["storefront": "1", "offerType": #""3""#, "commitmentInfo": "7", "billingPlanType": "null"], nil),
            ("what can't be printed", ["storefront": #""\u0000""#, "offerIdentifier": #""a\nb""#], nil),
            ("what is too long", ["offerIdentifier": "\"\(String(repeating: "a", count: 101))\""], nil),
        ] as [(String, [String: String], String?)])
    func termsAreKeptAsSignedAndChangeNothing(name: String, changes: [String: String], expected: String?) async throws {
        let plain = try await fixture.verdict(onPayload: PayloadText.json()).get()

        var transaction = try await fixture.verdict(onPayload: PayloadText.json(changes)).get()

        #expect(transaction.terms?.json == expected)
        transaction.terms = nil
        transaction.quantity = 1
        #expect(transaction == plain)
    }

    @Test(arguments: ["transactionId", "originalTransactionId", "webOrderLineItemId"])
    func idThatIsAnIntegerIsReadAsItsDigits(field: String) async throws {
        let asText = try await fixture.verdict(onPayload: PayloadText.json([field: #""430000000000009""#])).get()

        let asNumber = try await fixture.verdict(onPayload: PayloadText.json([field: "430000000000009"])).get()

        #expect(asNumber == asText)
    }

    @Test(arguments: ["Xcode", "LocalTesting"])
    func whatXcodeSignsIsOfNoStore(environment: String) async throws {
        let verdict = try await fixture.verdict(onPayload: PayloadText.json(["environment": "\"\(environment)\""]))

        #expect(verdict == .failure(.unsupportedEnvironment))
    }

    @Test
    func payloadWithoutAnAppIsNoBusinessOfAFurtherRoot() async throws {
        let verdict = try await fixture.verdict(onPayload: PayloadText.json(leavingOut: "bundleId"))

        #expect(verdict == .failure(.untrustedRoot))
    }
}
