// SPDX-License-Identifier: Apache-2.0

import AppStore
import FoundationEssentials
import Testing
import Verification

/// Purchases in genuine receipts, as the verifier reads them.
@Suite
struct ReceiptPurchaseTests {
    let fixture: ReceiptFixture

    init() throws {
        fixture = try ReceiptFixture()
    }

    private static let moment = Date(timeIntervalSince1970: 1_769_851_800)

    private func found(_ purchases: [[UInt8]]) async throws -> VerifiedTransactions {
        try await fixture.verifier().verify(fixture.signed(ReceiptBytes.app() + purchases))
    }

    @Test(
        arguments: [
            ("no transaction id", [1703: nil]),
            ("an empty transaction id", [1703: ReceiptBytes.text("")]),
            ("a number for a transaction id", [1703: ReceiptBytes.number(1)]),
            ("a transaction id that isn't UTF-8", [1703: [0x0C, 0x01, 0xFF]]),
            ("no product", [1702: nil]),
            ("an empty product", [1702: ReceiptBytes.text("")]),
            ("no time of purchase", [1704: nil]),
            ("an empty time of purchase", [1704: ReceiptBytes.date("")]),
            ("a time of purchase in words", [1704: ReceiptBytes.date("yesterday")]),
            ("a number for an original id", [1705: ReceiptBytes.number(1)]),
            ("a quantity of none", [1701: ReceiptBytes.number(0)]),
            ("a quantity below none", [1701: ReceiptBytes.number(0xFF)]),
            ("a quantity in words", [1701: ReceiptBytes.text("2")]),
            ("a quantity of nine bytes", [1701: [0x02, 0x09, 1, 0, 0, 0, 0, 0, 0, 0, 0]]),
            ("an original date in words", [1706: ReceiptBytes.date("then")]),
            ("an end in words", [1708: ReceiptBytes.date("soon")]),
            ("a line item in words", [1711: ReceiptBytes.text("480000000000002")]),
            ("two elements in a value", [1702: ReceiptBytes.text("coins") + ReceiptBytes.text("gems")]),
            ("no element in a value", [1702: []]),
        ] as [(String, [Int: [UInt8]?])])
    func unreadablePurchaseIsPassedOverAndCounted(_ name: String, changes: [Int: [UInt8]?]) async throws {
        let whole = ReceiptBytes.purchase([1703: ReceiptBytes.text("2000000000000002")])

        let found = try await found([ReceiptBytes.purchase(changes), whole])

        #expect(found.all.map(\.id.rawValue) == ["2000000000000002"], "\(name)")
        #expect(found.skipped == 1)
    }

    @Test(arguments: [
        ("no set", ReceiptBytes.attribute(17, ReceiptBytes.text("coins"))),
        ("nothing", ReceiptBytes.attribute(17, [])),
        ("a set that is cut", ReceiptBytes.attribute(17, [0x31, 0x10, 0x30])),
        ("two sets", ReceiptBytes.attribute(17, ReceiptBytes.set([]) + ReceiptBytes.set([]))),
        ("a set in an octet string", ReceiptBytes.attribute(17, ReceiptBytes.element(0x04, ReceiptBytes.set([])))),
        ("an attribute of text", ReceiptBytes.purchase([ReceiptBytes.text("coins")])),
        ("an empty attribute", ReceiptBytes.purchase([[0x30, 0x00]])),
        (
            "an attribute of four fields",
            ReceiptBytes.purchase([
                ReceiptBytes.element(0x30, [0x02, 1, 1, 0x02, 1, 1, 0x04, 0, 0x04, 0])
            ])
        ),
        ("a set in the indefinite form", ReceiptBytes.attribute(17, [0x31, 0x80, 0, 0])),
    ])
    func purchaseWithoutFormIsPassedOverAndCounted(_ name: String, purchase: [UInt8]) async throws {
        let found = try await found([purchase, ReceiptBytes.purchase([:])])

        #expect(found.all.count == 1, "\(name)")
        #expect(found.skipped == 1)
    }

    @Test
    func absentFactsHaveTheirMeaning() async throws {
        let purchase = ReceiptBytes.purchase([1701: nil, 1705: nil, 1706: nil, 1712: nil])

        let transaction = try #require(try await found([purchase]).all.first)

        #expect(transaction.quantity == 1)
        #expect(transaction.originalID == transaction.id)
        #expect(transaction.originalPurchaseDate == nil)
        #expect(transaction.revocation == nil)
        #expect(transaction.expiresDate == nil)
        #expect(transaction.webOrderLineItemID == nil)
        #expect(transaction.appAccountToken == nil)
        #expect(transaction.productKind == nil)
    }

    @Test
    func emptyTextsAndZeroAreAbsent() async throws {
        let purchase = ReceiptBytes.purchase([
            1705: ReceiptBytes.text(""), 1708: ReceiptBytes.date(""), 1711: ReceiptBytes.number(0),
            1712: ReceiptBytes.date(""),
        ])

        let transaction = try #require(try await found([purchase]).all.first)

        #expect(transaction.originalID == transaction.id)
        #expect(transaction.expiresDate == nil)
        #expect(transaction.webOrderLineItemID == nil)
        #expect(transaction.revocation == nil)
    }

    @Test
    func cancellationThatCannotBeReadIsDatedToThePurchase() async throws {
        let purchase = ReceiptBytes.purchase([1712: ReceiptBytes.date("recently")])

        #expect(try await found([purchase]).all.map(\.revocation) == [.whole(Self.moment, by: .receipt, asOf: Self.moment)])
    }

    struct UpgradeCase: CustomTestStringConvertible, Sendable {
        let testDescription: String
        /// When the first period was cancelled; the fixture's purchase is at 09:30 of the day before.
        let cancelled: String
        var later = "2026-02-01T10:00:00Z"
        var product = "com.example.app.gold"
        var original = "2000000000000001"
        let isRefund: Bool
    }

    /// Apple's archived list of receipt fields: the date of the cancellation or, for an upgraded plan, of the upgrade.
    @Test(arguments: [
        UpgradeCase(testDescription: "at the upgrade", cancelled: "2026-02-01T10:00:00Z", isRefund: false),
        UpgradeCase(testDescription: "a day after it", cancelled: "2026-02-02T10:00:00Z", isRefund: false),
        UpgradeCase(testDescription: "later than that", cancelled: "2026-02-02T10:00:01Z", isRefund: true),
        UpgradeCase(
            testDescription: "a day before it", cancelled: "2026-02-01T10:00:00Z", later: "2026-02-02T10:00:00Z", isRefund: false),
        UpgradeCase(
            testDescription: "earlier than that", cancelled: "2026-02-01T10:00:00Z", later: "2026-02-02T10:00:01Z", isRefund: true),
        UpgradeCase(
            testDescription: "a period of the same product", cancelled: "2026-02-01T10:00:00Z", product: "com.example.app.coins",
            isRefund: true),
        UpgradeCase(
            testDescription: "a period of another subscription", cancelled: "2026-02-01T10:00:00Z", original: "2000000000000009",
            isRefund: true),
        UpgradeCase(
            testDescription: "an earlier period of another product", cancelled: "2026-01-31T12:00:00Z",
            later: "2026-01-31T09:00:00Z", isRefund: true),
        UpgradeCase(
            testDescription: "a date that can't be read", cancelled: "recently", later: "2026-01-31T12:00:00Z", isRefund: true),
    ])
    func cancellationAtAnUpgradeIsNoRefund(_ row: UpgradeCase) async throws {
        let first = ReceiptBytes.purchase([1711: ReceiptBytes.number(1), 1712: ReceiptBytes.date(row.cancelled)])
        let second = ReceiptBytes.purchase([
            1702: ReceiptBytes.text(row.product), 1703: ReceiptBytes.text("2000000000000002"),
            1704: ReceiptBytes.date(row.later), 1705: ReceiptBytes.text(row.original), 1711: ReceiptBytes.number(2),
        ])

        for purchases in [[first, second], [second, first]] {
            let found = try await found(purchases).all.sorted { $0.id.rawValue < $1.id.rawValue }

            #expect(found.map(\.isRefunded) == [row.isRefund, false])
            #expect(found.allSatisfy { $0.isRefunded || $0.revocation == nil })
        }
    }

    @Test
    func purchaseOfTwoIDsIsLeftOut() async throws {
        let attributes = ReceiptBytes.coins.map { ReceiptBytes.attribute($0.key, $0.value) }
        let second = ReceiptBytes.attribute(1703, ReceiptBytes.text("9"))

        let found = try await found([ReceiptBytes.purchase(attributes + [second])])

        #expect(found.all.isEmpty)
        #expect(found.skipped == 1)
    }

    @Test
    func unknownAttributesArePassedOver() async throws {
        let unknown = [1707, 1709, 1719, 1722, 60_000].map { ReceiptBytes.attribute($0, [0xFF, 0xFF]) }
        let attributes = ReceiptBytes.coins.map { ReceiptBytes.attribute($0.key, $0.value) }
        let app = [1, 6, 20, 25, 60_000].map { ReceiptBytes.attribute($0, [0x1F, 0x80, 0xFF]) }

        let found = try await found(app + [ReceiptBytes.purchase(unknown + attributes)])

        #expect(found.all.count == 1)
    }

    @Test
    func onlyEntriesInTheirPlaceAreRead() async throws {
        // A purchase's attributes among the app's are of no type that the app has.
        let found = try await found(ReceiptBytes.coins.map { ReceiptBytes.attribute($0.key, $0.value) })

        #expect(found.all.isEmpty)
        #expect(found.skipped == 0)
    }
}
