// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Verification

/// An attribute of a receipt or of a purchase in it, with the values that it may have. Written from Apple's pages, not from the
/// verifier.
enum ReceiptField: Int, CaseIterable {
    case receiptType = 0
    case bundleID = 2
    case applicationVersion = 3
    case creationDate = 12
    case originalPurchaseDateOfApp = 18
    case originalApplicationVersion = 19
    case expirationDate = 21
    case somethingNew = 9999

    case quantity = 1701
    case productID = 1702
    case transactionID = 1703
    case purchaseDate = 1704
    case originalTransactionID = 1705
    case originalPurchaseDate = 1706
    case productType = 1707
    case expiresDate = 1708
    case webOrderLineItemID = 1711
    case cancellationDate = 1712
    case introductoryOffer = 1719
    case somethingNewOfPurchase = 1799

    /// What a value means for the verdict.
    enum Effect {
        /// Admissible: the facts change so.
        case facts((inout ReceiptFactsOfPurchase) -> Void)
        /// Admissible, or left to an operator.
        case perhaps((inout ReceiptFactsOfPurchase) -> Void)
        case outside
        case ofXcode
        case outsideRoot
        case outsideValidity
    }

    var isOfPurchase: Bool { (1700..<1800).contains(rawValue) }

    var name: String { "\(rawValue) \(self)" }

    var decidesAboutMoney: Bool {
        switch self {
        case .receiptType, .bundleID, .creationDate, .quantity, .productID, .transactionID, .purchaseDate, .originalTransactionID,
            .originalPurchaseDate, .expiresDate, .webOrderLineItemID, .cancellationDate:
            true
        case .applicationVersion, .originalPurchaseDateOfApp, .originalApplicationVersion, .expirationDate, .somethingNew,
            .productType, .introductoryOffer, .somethingNewOfPurchase:
            false
        }
    }

    var isDate: Bool {
        [.creationDate, .purchaseDate, .originalPurchaseDate, .expiresDate, .cancellationDate].contains(self)
    }

    /// Values that the attribute's table lists, and their neighbours.
    func listedValues(at date: Date) -> [DERLiteral] {
        switch self {
        case .receiptType:
            ["ProductionSandbox", "ProductionVPP", "ProductionVPPSandbox", "Xcode", "ProductionFuture", "production"].map { .utf8($0) }
        case .bundleID: [.utf8(SignedField.otherBundleID.rawValue), .ia5("com.example.app"), .utf8("com.example.untrusted")]
        case .quantity: [.integer(2), .integer(2_147_483_647), .integer(2_147_483_648), .utf8("2"), .number([0, 0, 2])]
        case .productID: [.utf8("com.example.app.another"), .ia5("com.example.app.another")]
        case .transactionID, .originalTransactionID: [.utf8("430000000000009"), .integer(430_000_000_000_009)]
        case .webOrderLineItemID: [.integer(480_000_000_000_009), .utf8("480000000000009")]
        case .creationDate, .purchaseDate, .originalPurchaseDate, .expiresDate, .cancellationDate:
            [.ia5(Self.text(date.addingTimeInterval(3600))), .utf8(Self.text(date.addingTimeInterval(3600)))]
        default: [.utf8("2.0"), .integer(2)]
        }
    }

    /// Dates that nobody can read, of which some have been seen.
    static func unreadableDates(near date: Date) -> [DERLiteral] {
        let text = text(date)
        let start = String(text.dropLast())
        return [
            start + "+0000", start, String(Int(date.timeIntervalSince1970) * 1000), String(Int(date.timeIntervalSince1970)),
            text.prefix(4) + "-02-30T09:30:00Z", text.prefix(4) + "-13-01T09:30:00Z", start.replacing("T", with: " ") + " Etc/GMT",
            text.lowercased(), text + " ", " " + text, "+" + text, "10000-01-01T00:00:00Z", "0000-01-01T00:00:00Z",
            start + ".Z", text.replacing("-", with: "\u{2010}"),
        ].map { .ia5($0) }
    }

    /// RFC 3339.
    static func text(_ date: Date) -> String {
        date.formatted(.iso8601)
    }
}

/// The facts that a receipt's purchase has to be verified with, and those that it shares with its neighbours.
struct ReceiptFactsOfPurchase {
    var transaction: Transaction
    var others: [Transaction]
    var creationDate: Date?
    var cancellationDate: Date?

    /// The changed purchase, with the refund that its dates name.
    var changed: Transaction {
        var transaction = transaction
        transaction.endAsOf = transaction.expiresDate == nil ? nil : creationDate
        transaction.revocation = cancellationDate.map { .whole($0, by: .receipt, asOf: creationDate) }
        return transaction
    }
}
