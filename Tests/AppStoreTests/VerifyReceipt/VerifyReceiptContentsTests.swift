// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Testing
import Verification

@testable import AppStore

/// What is read from an answer that says the receipt is authentic.
@Suite
struct VerifyReceiptContentsTests {
    @Test(arguments: [
        (0, "Production", AppStoreEnvironment.production), (21006, "Production", .production),
        (0, "Sandbox", .sandbox),
    ])
    func purchasesOfAnAuthenticReceiptAreFound(status: Int, name: String, host: AppStoreEnvironment) throws {
        let finding = try ReceiptJSON.finding(
            in: ReceiptJSON.answer(status: status, environment: name, inApp: [ReceiptJSON.entry()]), host: host)

        #expect(finding == .transactions([ReceiptJSON.transaction { $0.environment = host }]))
    }

    @Test
    func environmentIsTheHostsWhenTheAnswerNamesNone() throws {
        let finding = try ReceiptJSON.finding(
            in: ReceiptJSON.answer(environment: nil, inApp: [ReceiptJSON.entry()]), host: .sandbox)

        #expect(finding == .transactions([ReceiptJSON.transaction { $0.environment = .sandbox }]))
    }

    @Test(arguments: [
        ("Sandbox", AppStoreEnvironment.production), ("Production", .sandbox), ("Xcode", .production), ("", .sandbox),
        ("Staging", .production),
    ])
    func environmentThatContradictsTheHostIsAnUnknownAnswer(name: String, host: AppStoreEnvironment) throws {
        let finding = try ReceiptJSON.finding(
            in: ReceiptJSON.answer(environment: name, inApp: [ReceiptJSON.entry()]), host: host)

        #expect(
            name.isEmpty
                ? finding == .transactions([ReceiptJSON.transaction { $0.environment = host }])
                : finding == .unknownAnswer
        )
    }

    @Test(arguments: [
        #"{"status":0}"#, #"{"status":0,"receipt":null}"#, #"{"status":0,"receipt":[]}"#,
        #"{"status":0,"receipt":{"in_app":[]}}"#, #"{"status":0,"receipt":{"bundle_id":"","in_app":[]}}"#,
        #"{"status":0,"receipt":{"bundle_id":"a","in_app":{}}}"#,
        #"{"status":0,"receipt":{"bundle_id":"a","in_app":"x"}}"#,
    ])
    func authenticReceiptThatCannotBeReadIsAnUnknownAnswer(body: String) throws {
        #expect(try ReceiptJSON.finding(in: body) == .unknownAnswer)
    }

    @Test
    func receiptWithoutPurchasesIsAuthenticAndEmpty() throws {
        #expect(try ReceiptJSON.finding(in: ReceiptJSON.answer(inApp: [])) == .transactions([]))
    }

    @Test
    func anAuthenticReceiptSaysWhoseItIs() throws {
        let answer = VerifyReceiptAnswer(
            host: .production, proof: .appReceipt("MIIT"), bundleID: SimulatedStore.bundleID)

        let body = Data(#"{"status":0,"receipt":{"bundle_id":"elsewhere","application_version":"42","in_app":[]}}"#.utf8)
        let evidence = try answer.evidence(in: HTTPResponse(status: 200, body: body))

        guard case .transactions(let transactions) = evidence else {
            Issue.record("no transactions: \(evidence)")
            return
        }
        #expect(transactions.bundleID == BundleID(rawValue: "elsewhere"))
        #expect(transactions.appVersion?.rawValue == "42")
    }

    @Test
    func everyFieldOfAnEntryIsTranslated() throws {
        let token = UUID()
        let entry = ReceiptJSON.entry([
            "quantity": #""10""#, "original_transaction_id": #""400000000000009""#,
            "web_order_line_item_id": #""480000000000002""#, "original_purchase_date_ms": #""1769849000000""#,
            "expires_date_ms": #""1769853600000""#,
            "expires_date": #""2026-01-31 10:00:00 Etc/GMT""#, "cancellation_date_ms": #""1769850060000""#,
            "cancellation_reason": #""0""#, "app_account_token": "\"\(token.uuidString.lowercased())\"",
            "in_app_ownership_type": #""FAMILY_SHARED""#, "is_trial_period": #""false""#, "something_new": "{}",
        ])

        let finding = try ReceiptJSON.finding(in: ReceiptJSON.answer(inApp: [entry]))

        let expected = ReceiptJSON.transaction { transaction in
            transaction.quantity = 10
            transaction.originalID = TransactionID(rawValue: "400000000000009")
            transaction.webOrderLineItemID = "480000000000002"
            transaction.originalPurchaseDate = ReceiptJSON.purchase.addingTimeInterval(-1000)
            transaction.expiresDate = ReceiptJSON.purchase.addingTimeInterval(3600)
            transaction.revocation = .whole(ReceiptJSON.purchase.addingTimeInterval(60), by: .receipt)
            transaction.appAccountToken = token
            transaction.ownership = .familyShared
        }
        #expect(finding == .transactions([expected]))
    }

    @Test
    func numbersInPlaceOfTextAreTolerated() throws {
        let entry = ReceiptJSON.entry([
            "quantity": "2", "transaction_id": "430000000000001", "original_transaction_id": "430000000000001",
            "purchase_date_ms": "1769850000000",
        ])

        #expect(
            try ReceiptJSON.finding(in: ReceiptJSON.answer(inApp: [entry]))
                == .transactions([ReceiptJSON.transaction { $0.quantity = 2 }])
        )
    }

    @Test(arguments: [
        ["cancellation_date": #""2026-01-31 09:01:00 Etc/GMT""#], ["cancellation_reason": #""1""#],
        ["cancellation_date_ms": #""soon""#],
    ])
    func cancellationIsSeenWhateverFormItHas(fields: [String: String]) throws {
        let finding = try ReceiptJSON.finding(in: ReceiptJSON.answer(inApp: [ReceiptJSON.entry(fields)]))

        #expect(finding == .transactions([ReceiptJSON.transaction { $0.revocation = .whole(ReceiptJSON.purchase, by: .receipt) }]))
    }

    @Test(arguments: [
        ["cancellation_date": #""""#, "cancellation_date_ms": #""""#], ["cancellation_date_ms": "null"],
    ])
    func emptyCancellationIsNone(fields: [String: String]) throws {
        #expect(
            try ReceiptJSON.finding(in: ReceiptJSON.answer(inApp: [ReceiptJSON.entry(fields)]))
                == .transactions([ReceiptJSON.transaction()]))
    }

    /// Only `latest_receipt_info` tells an upgrade.
    @Test(arguments: [("\"true\"", nil), ("\"false\"", ReceiptJSON.purchase + 60), ("null", ReceiptJSON.purchase + 60)])
    func anUpgradeIsNoRefund(isUpgraded: String, revocationDate: Date?) throws {
        let cancellation = ["cancellation_date_ms": #""1769850060000""#]
        let inApp = ReceiptJSON.entry(cancellation)
        let latest = ReceiptJSON.entry(cancellation.merging(["is_upgraded": isUpgraded]) { $1 })
        let body = ReceiptJSON.answer(inApp: [inApp], more: #","latest_receipt_info":[\#(latest)]"#)

        let finding = try ReceiptJSON.finding(in: body)

        let expected = ReceiptJSON.transaction { $0.revocation = revocationDate.map { .whole($0, by: .receipt) } }
        #expect(finding == .transactions([expected]))
    }

    /// A period that Apple marks as upgraded, and one that was bought later.
    private static func shares(
        cancelledAfter seconds: Int, isUpgraded: String?, laterBoughtAfter later: Int?, of product: String = "gold",
        original: String = "430000000000001"
    ) throws -> [Revocation.Share?] {
        var entries = [
            ReceiptJSON.entry([
                "cancellation_date_ms": "\"\(1_769_850_000 + seconds)000\"", "is_upgraded": isUpgraded ?? "null",
            ])
        ]
        if let later {
            entries.append(
                ReceiptJSON.entry([
                    "transaction_id": #""430000000000002""#, "original_transaction_id": "\"\(original)\"",
                    "product_id": "\"\(product)\"", "purchase_date_ms": "\"\(1_769_850_000 + later)000\"",
                ]))
        }
        let more = #","latest_receipt_info":[\#(entries.joined(separator: ","))]"#
        guard case .transactions(let found) = try ReceiptJSON.finding(in: ReceiptJSON.answer(inApp: [], more: more)) else {
            return []
        }
        return found.map(\.revocation?.share)
    }

    private static let day = 86_400

    @Test(
        arguments: [
            ("at the upgrade", 100, 100, nil), ("a day after it", 100 + day, 100, nil),
            ("a day before it", 100, 100 + day, nil), ("later than a day after it", 101 + day, 100, .whole),
            ("earlier than a day before it", 100, 101 + day, .whole),
        ] as [(String, Int, Int, Revocation.Share?)])
    func datesDecideWhetherAnUpgradedPeriodWasRefunded(
        _ name: String, cancelled: Int, later: Int, share: Revocation.Share?
    ) throws {
        let shares = try Self.shares(cancelledAfter: cancelled, isUpgraded: #""true""#, laterBoughtAfter: later)

        #expect(shares == [share, nil], "\(name)")
    }

    @Test func periodThatIsNotMarkedAsUpgradedWasRefunded() throws {
        #expect(
            try Self.shares(cancelledAfter: 100, isUpgraded: #""false""#, laterBoughtAfter: 100) == [.whole, nil])
        #expect(try Self.shares(cancelledAfter: 100, isUpgraded: nil, laterBoughtAfter: 100) == [.whole, nil])
    }

    /// Where no period can be the new one, the dates say nothing against Apple's mark.
    @Test func markOfAnUpgradeIsBelievedWithoutTheNewPeriod() throws {
        let shares = [
            try Self.shares(cancelledAfter: 900_000, isUpgraded: #""true""#, laterBoughtAfter: nil),
            try Self.shares(
                cancelledAfter: 900_000, isUpgraded: #""true""#, laterBoughtAfter: 100, of: "com.example.app.coins"),
            try Self.shares(cancelledAfter: 900_000, isUpgraded: #""true""#, laterBoughtAfter: 100, original: "7"),
            try Self.shares(cancelledAfter: 900_000, isUpgraded: #""true""#, laterBoughtAfter: -100),
        ]

        #expect(shares == [[nil], [nil, nil], [nil, nil], [nil, nil]])
    }

    @Test func refundIsOfTheTimeOfTheAnswer() throws {
        let entry = ReceiptJSON.entry(["cancellation_date_ms": #""1769850060000""#])
        let body =
            #"{"status":0,"environment":"Production","receipt":{"bundle_id":"com.example.app","request_date_ms":"1769850099000","#
            + #""in_app":[\#(entry)]}}"#

        #expect(
            try ReceiptJSON.finding(in: body)
                == .transactions([
                    ReceiptJSON.transaction {
                        $0.revocation = .whole(ReceiptJSON.purchase + 60, by: .receipt, asOf: ReceiptJSON.purchase + 99)
                    }
                ]))
    }

    @Test(arguments: [
        (nil, Transaction.Ownership.purchased), (#""PURCHASED""#, .purchased), (#""FAMILY_SHARED""#, .familyShared),
        (#""ASSIGNED""#, .assigned), (#""LENT""#, .unknown), ("1", .unknown),
    ])
    func onlyTheExactWordIsAPurchase(ownership: String?, expected: Transaction.Ownership) throws {
        let entry = ReceiptJSON.entry(ownership.map { ["in_app_ownership_type": $0] } ?? [:])

        let finding = try ReceiptJSON.finding(in: ReceiptJSON.answer(inApp: [entry]))

        #expect(finding == .transactions([ReceiptJSON.transaction { $0.ownership = expected }]))
    }

    @Test
    func latestInfoAndInAppArePutTogether() throws {
        let token = UUID()
        let known = ReceiptJSON.entry(["cancellation_reason": #""0""#])
        let newer = ReceiptJSON.entry(["app_account_token": "\"\(token.uuidString)\""], leavingOut: "product_id")
        let renewal = ReceiptJSON.entry(["transaction_id": #""430000000000002""#])
        let body = ReceiptJSON.answer(inApp: [known], more: #","latest_receipt_info":[\#(renewal),\#(newer)]"#)

        let finding = try ReceiptJSON.finding(in: body)

        let expected = [
            ReceiptJSON.transaction { transaction in
                transaction.id = TransactionID(rawValue: "430000000000002")
            },
            ReceiptJSON.transaction { transaction in
                transaction.appAccountToken = token
                transaction.revocation = .whole(ReceiptJSON.purchase, by: .receipt)
            },
        ]
        #expect(finding == .transactions(expected))
    }

    @Test
    func entriesThatCannotBeReadArePassedOverAndCounted() throws {
        let broken = [
            "null", "5", "[]", #""x""#, "{}", ReceiptJSON.entry(leavingOut: "transaction_id"),
            ReceiptJSON.entry(["transaction_id": #""2""#], leavingOut: "product_id"),
            ReceiptJSON.entry(["transaction_id": #""3""#], leavingOut: "purchase_date_ms"),
            ReceiptJSON.entry(["transaction_id": #""4""#, "quantity": #""0""#]),
            ReceiptJSON.entry(["transaction_id": #""5""#, "quantity": #""many""#]),
            ReceiptJSON.entry(["transaction_id": #""6""#, "purchase_date_ms": #""yesterday""#]),
            ReceiptJSON.entry(["transaction_id": "{}"]),
            ReceiptJSON.entry(["transaction_id": #""7""#, "original_transaction_id": "{}"]),
            ReceiptJSON.entry(["transaction_id": #""8""#, "web_order_line_item_id": "[]"]),
            ReceiptJSON.entry(["transaction_id": #""9""#, "in_app_ownership_type": "{}"]),
            ReceiptJSON.entry(["transaction_id": #""10""#, "app_account_token": #""me""#]),
            ReceiptJSON.entry(["transaction_id": #""11""#, "original_purchase_date_ms": #""then""#]),
            ReceiptJSON.entry(["transaction_id": #""12""#, "expires_date_ms": #""soon""#]),
            ReceiptJSON.entry(["transaction_id": #""13""#, "is_upgraded": #""perhaps""#]),
            ReceiptJSON.entry(["transaction_id": #""14""#, "cancellation_date": "{}"]),
            ReceiptJSON.entry(["transaction_id": #""15""#, "cancellation_reason": "[]"]),
            ReceiptJSON.entry(["transaction_id": #""16""#, "quantity": "1.5"]),
        ]
        var skipped = 0

        let finding = try ReceiptJSON.finding(in: ReceiptJSON.answer(inApp: broken + [ReceiptJSON.entry()])) {
            skipped = $0
        }

        #expect(finding == .transactions([ReceiptJSON.transaction()]))
        #expect(skipped == broken.count)
    }

    /// The newer entry has the refund, and its text can't be read.
    @Test
    func anEntryThatCannotBeReadMakesItsTransactionUnreadable() throws {
        let odd = ReceiptJSON.entry(["cancellation_date_ms": "{}"])
        var skipped = 0

        let finding = try ReceiptJSON.finding(
            in: ReceiptJSON.answer(inApp: [ReceiptJSON.entry()], more: #","latest_receipt_info":[\#(odd)]"#)
        ) { skipped = $0 }

        #expect(finding == .transactions([]))
        #expect(skipped == 1)
    }

    @Test
    func receiptsMayLackAPurchaseThatANewerOneHolds() throws {
        let evidence = try VerifyReceiptAnswer(host: .production, proof: .appReceipt("MIIT"), bundleID: SimulatedStore.bundleID)
            .evidence(in: HTTPResponse(status: 200, body: Data(ReceiptJSON.answer(inApp: [ReceiptJSON.entry()]).utf8)))

        guard case .transactions(let transactions) = evidence else {
            Issue.record("no transactions were found")
            return
        }
        #expect(transactions.mayBeIncomplete)
    }
}
