// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Postgres
import TestSupport
import Testing

@testable import Rehearsal

@Suite struct GrantFactsTests {
    /// Between two seconds, and between two milliseconds.
    private static let payment = PlayRecord.Payment(
        purchaseDate: Date(timeIntervalSince1970: 1_767_225_600.4567),
        expiresDate: Date(timeIntervalSince1970: 1_769_817_600.4567))

    private static let facts = GrantFacts(
        grantKey: "web_order:4800", productKind: "auto_renewable", originalTransactionID: "4000",
        webOrderLineItemID: "4800", purchasedAt: PostgresTimestamp(microsecondsSince1970: 1_767_225_600_457_000),
        expiresAt: PostgresTimestamp(microsecondsSince1970: 1_769_817_600_457_000))

    /// A period of a subscription, shown as a signed transaction.
    private static let purchase: Purchase = {
        var draft = PurchaseDraft(number: 1, kind: .signedTransaction, generator: PlanGenerator(seed: 1))
        let order = draft.order(.pro, of: .puzzle)
        let payment = draft.payment(for: order) { transaction in
            transaction.originalID = "4000"
            transaction.webOrderLineItemID = "4800"
        }
        draft.play(.pay([payment]))
        draft.buy(order, with: .signed(transaction: payment))
        draft.expectGrant(order, payment)
        return draft.purchase
    }()

    /// What differs when the ledger says these facts of the grant.
    private static func differences(
        _ facts: GrantFacts, paid payment: PlayRecord.Payment? = Self.payment
    ) -> [Difference] {
        let plan = PurchasePlan(seed: 1, purchases: [purchase], kills: [])
        var observation = Observation.asPlanned(plan)
        observation.grants[Observation.TransactionKey(purchase.transactions[0])]?[0].facts = facts
        observation.records[1]?.payments[0] = payment
        return Comparison(plan, observation).differences
    }

    @Test func whatIsPublishedAsPlannedHasNoDifference() {
        #expect(Self.differences(Self.facts) == [])
    }

    /// A fact of which the ledger says something else.
    struct Mistake: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let expected: String
        let got: String
        let change: @Sendable (inout GrantFacts) -> Void
    }

    @Test(arguments: Mistake.all)
    func aWrongFactIsADifferenceAndNamed(_ mistake: Mistake) {
        var facts = Self.facts
        mistake.change(&facts)

        let differences = Self.differences(facts)

        #expect(differences.count == 1)
        #expect(differences.first?.expected == mistake.expected)
        #expect(differences.first?.got == mistake.got)
    }

    @Test func aGrantOfSomethingThatNobodyPaidIsADifference() {
        #expect(Self.differences(Self.facts, paid: nil).map(\.expected) == ["purchased_at null", "expires_at null"])
    }

    @Test(arguments: [
        (ShopProduct.coins, "transaction:4001"), (.unlock, "original:4000"), (.pass, "original:4000"),
        (.pro, "transaction:4001"),
    ])
    func withoutABillingEventTheKeyNamesATransaction(product: ShopProduct, key: String) {
        let transaction = PlannedTransaction(id: "4001", originalID: "4000", app: .puzzle, product: product)

        #expect(GrantFacts(of: transaction, paid: nil, toTheSecond: false).grantKey == key)
    }

    @Test func aReceiptDatesToTheSecond() {
        let transaction = Self.purchase.transactions[0]
        let facts = GrantFacts(of: transaction, paid: Self.payment, toTheSecond: true)

        #expect(facts.purchasedAt == PostgresTimestamp(microsecondsSince1970: 1_767_225_600_000_000))
        #expect(facts.expiresAt == PostgresTimestamp(microsecondsSince1970: 1_769_817_600_000_000))
    }

    @Test func onlyReceiptsThatAreNotConfirmedDateToTheSecond() {
        let receipt = PlannedProof.damaged(.receipt(0), .lineBreaks)

        #expect(receipt.datesToTheSecond(of: .puzzle))
        #expect(receipt.datesToTheSecond(of: .lantern))
        #expect(!receipt.datesToTheSecond(of: .harbor))
        #expect(!PlannedProof.signed(transaction: 0).datesToTheSecond(of: .puzzle))
    }

    @Test func anotherQuantityUnclaimedIsADifference() throws {
        var draft = PurchaseDraft(number: 1, kind: .quantityShort, generator: PlanGenerator(seed: 1))
        draft.quantityShort()
        let plan = PurchasePlan(seed: 1, purchases: [draft.purchase], kills: [])
        let key = Observation.TransactionKey(draft.purchase.transactions[0])
        var observation = Observation.asPlanned(plan)

        observation.unclaimedQuantities[key] = 2
        #expect(Comparison(plan, observation).differences == [])

        observation.unclaimedQuantities[key] = 3
        let difference = try #require(Comparison(plan, observation).differences.first)
        #expect(difference.expected == "quantity 2")
        #expect(difference.got == "quantity 3")
    }
}

extension GrantFactsTests.Mistake {
    static let all: [GrantFactsTests.Mistake] = [
        .init(
            testDescription: "the key", expected: "grant_key web_order:4800", got: "grant_key transaction:4000"
        ) { $0.grantKey = "transaction:4000" },
        .init(
            testDescription: "the kind of product", expected: "product_kind auto_renewable",
            got: "product_kind consumable"
        ) { $0.productKind = "consumable" },
        .init(
            testDescription: "the original transaction", expected: "original_transaction_id 4000",
            got: "original_transaction_id 4001"
        ) { $0.originalTransactionID = "4001" },
        .init(
            testDescription: "the billing event", expected: "web_order_line_item_id 4800",
            got: "web_order_line_item_id null"
        ) { $0.webOrderLineItemID = nil },
        .init(
            testDescription: "when it was paid", expected: "purchased_at 2026-01-01 00:00:00.457+00",
            got: "purchased_at 2026-01-01 00:00:00+00"
        ) { $0.purchasedAt = PostgresTimestamp(microsecondsSince1970: 1_767_225_600_000_000) },
        .init(
            testDescription: "when it ends", expected: "expires_at 2026-01-31 00:00:00.457+00", got: "expires_at null"
        ) { $0.expiresAt = nil },
    ]
}
