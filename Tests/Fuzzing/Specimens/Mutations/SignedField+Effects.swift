// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Verification

extension SignedField {
    /// What the field's value means; of an absent field it is nil.
    ///
    /// - Parameter date: when the original was signed.
    func effect(of value: JSONLiteral?, signedAt date: Date) -> Effect {
        guard decidesAboutMoney else { return kept(value) }
        return switch self {
        case .transactionId: id(value, absent: .outside) { $0.transaction.id = TransactionID(rawValue: $1) }
        case .originalTransactionId:
            id(value, absent: .perhaps { $0.transaction.originalID = $0.transaction.id }) {
                $0.transaction.originalID = TransactionID(rawValue: $1)
            }
        case .webOrderLineItemId:
            id(value, absent: .facts { $0.transaction.webOrderLineItemID = nil }) { $0.transaction.webOrderLineItemID = $1 }
        case .bundleId, .productId: named(value)
        case .type, .environment, .inAppOwnershipType, .additionalTransactionReason, .transactionReason: enumerated(value)
        case .quantity: units(value)
        case .appAccountToken: token(value)
        case .purchaseDate: moment(value, absent: .outside) { $0.transaction.purchaseDate = $1 }
        case .originalPurchaseDate:
            moment(value, absent: .facts { $0.transaction.originalPurchaseDate = nil }) { $0.transaction.originalPurchaseDate = $1 }
        case .expiresDate: moment(value, absent: .facts { $0.transaction.expiresDate = nil }) { $0.transaction.expiresDate = $1 }
        case .signedDate: signing(value, date)
        case .revocationDate: moment(value, absent: .facts { $0.revocationDate = nil }) { $0.revocationDate = $1 }
        case .revocationType, .revocationPercentage, .revocationReason, .isUpgraded, .multiSeatInfo: refund(value)
        case .advancedCommerceInfo: value == nil || value == .null ? .facts { _ in } : .outside
        default: .facts { _ in }
        }
    }

    /// Price and currency are kept together as signed, or neither is; the customer is kept. All others are passed over.
    private func kept(_ value: JSONLiteral?) -> Effect {
        switch self {
        case .price: .facts { $0.transaction.price = SignedPrice(milliunits: value?.integer.map(Int64.init), currency: "USD") }
        case .currency:
            .facts { facts in
                let currency: String? = if case .text(let text)? = value { text } else { nil }
                facts.transaction.price = SignedPrice(milliunits: 1990, currency: currency)
            }
        case .appTransactionId:
            .facts { facts in
                let customer: String? =
                    if case .text(let text)? = value { text } else { value?.integer.flatMap { $0 > 0 ? String($0) : nil } }
                facts.transaction.customerID = customer.flatMap { CustomerID($0) }
            }
        default: .facts { _ in }
        }
    }

    /// Apple's are 15 to 20 digits in text. A number says the same; any short text that can be printed may be an id one day.
    private func id(_ value: JSONLiteral?, absent: Effect, _ set: @escaping (inout SignedFacts, String) -> Void) -> Effect {
        switch value {
        case nil, .null?: return absent
        case .text("")?: return absent
        case .text(let text)?:
            guard Self.isPrintable(text) else { return .outside }
            let isDigits = text.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
            return isDigits ? .facts { set(&$0, text) } : .perhaps { set(&$0, text) }
        case .number(let digits)?:
            guard let number = value?.integer, number >= 0 else { return .outside }
            return number == 0 ? .perhaps { set(&$0, digits) } : .facts { set(&$0, digits) }
        case .bool?, .composite?: return .outside
        }
    }

    private func named(_ value: JSONLiteral?) -> Effect {
        guard case .text(let text)? = value else { return self == .bundleId ? .outsideRoot : .outside }
        guard self == .bundleId else {
            return Self.isPrintable(text) ? .facts { $0.transaction.productID = ProductID(rawValue: text) } : .outside
        }
        return [Self.otherBundleID.rawValue, "com.example.app"].contains(text)
            ? .facts { $0.transaction.bundleID = BundleID(rawValue: text) } : .outsideRoot
    }

    private func enumerated(_ value: JSONLiteral?) -> Effect {
        let isAbsent = value == nil || value == .null
        guard !isAbsent else {
            return switch self {
            case .type: .perhaps { $0.transaction.productKind = nil }
            case .inAppOwnershipType: .perhaps { $0.transaction.ownership = .purchased }
            case .additionalTransactionReason: .facts { $0.transaction.additionalReason = nil }
            case .transactionReason: .facts { $0.transaction.purchaseReason = nil }
            default: .outside
            }
        }
        guard case .text(let name)? = value else { return .outside }
        switch (self, name) {
        case (.type, "Consumable"): return .facts { $0.transaction.productKind = .consumable }
        case (.type, "Non-Consumable"): return .facts { $0.transaction.productKind = .nonConsumable }
        case (.type, "Non-Renewing Subscription"): return .facts { $0.transaction.productKind = .nonRenewing }
        case (.type, "Auto-Renewable Subscription"): return .facts { $0.transaction.productKind = .autoRenewable }
        case (.environment, "Production"): return .facts { $0.transaction.environment = .production }
        case (.environment, "Sandbox"): return .facts { $0.transaction.environment = .sandbox }
        case (.environment, "Xcode"), (.environment, "LocalTesting"): return .ofXcode
        case (.inAppOwnershipType, "PURCHASED"): return .facts { $0.transaction.ownership = .purchased }
        case (.inAppOwnershipType, "FAMILY_SHARED"): return .facts { $0.transaction.ownership = .familyShared }
        case (.inAppOwnershipType, "ASSIGNED"): return .facts { $0.transaction.ownership = .assigned }
        case (.transactionReason, "PURCHASE"): return .facts { $0.transaction.purchaseReason = .purchase }
        case (.transactionReason, "RENEWAL"): return .facts { $0.transaction.purchaseReason = .renewal }
        case (.additionalTransactionReason, "SEAT_ADDITION"): return .facts { $0.transaction.additionalReason = .seatAddition }
        case (.additionalTransactionReason, ""): return .perhaps { $0.transaction.additionalReason = nil }
        default: return .outside
        }
    }

    private func units(_ value: JSONLiteral?) -> Effect {
        switch value {
        case nil, .null?: return .perhaps { $0.transaction.quantity = 1 }
        case .number(let digits)?:
            guard let number = Double(digits), number.rounded() == number, (1...2_147_483_647).contains(number) else {
                return .outside
            }
            let isPlain = value?.integer != nil
            return isPlain ? .facts { $0.transaction.quantity = Int(number) } : .perhaps { $0.transaction.quantity = Int(number) }
        case .text(let digits)?:
            guard let number = Int(digits), (1...2_147_483_647).contains(number) else { return .outside }
            return .perhaps { $0.transaction.quantity = number }
        case .bool?, .composite?: return .outside
        }
    }

    private func token(_ value: JSONLiteral?) -> Effect {
        switch value {
        case nil, .null?, .text("")?: return .facts { $0.transaction.appAccountToken = nil }
        case .text(let text)?:
            guard let token = UUID(uuidString: text) else { return .outside }
            return .facts { $0.transaction.appAccountToken = token }
        case .bool?, .number?, .composite?: return .outside
        }
    }

    /// Milliseconds since 1970. A moment from before Apple sold anything is a number still, and may go either way.
    private func moment(_ value: JSONLiteral?, absent: Effect, _ set: @escaping (inout SignedFacts, Date) -> Void) -> Effect {
        switch value {
        case nil, .null?: return absent
        case .number(let digits)?:
            guard let number = Double(digits), let moment = Self.moment(number) else { return .outside }
            return number < 1_200_000_000_000 ? .perhaps { set(&$0, moment) } : .facts { set(&$0, moment) }
        case .text(let digits)?:
            guard let number = Int(digits), let moment = Self.moment(Double(number)) else { return .outside }
            return .perhaps { set(&$0, moment) }
        case .bool?, .composite?: return .outside
        }
    }

    /// Certificates are judged at the time of signing.
    private func signing(_ value: JSONLiteral?, _ date: Date) -> Effect {
        switch value {
        case nil, .null?: return .perhaps { $0.signedDate = nil }
        case .number(let digits)?:
            guard let number = Double(digits), let moment = Self.moment(number) else { return .outside }
            let isValid = abs(moment.timeIntervalSince(date)) < 86_400
            return isValid ? .facts { $0.signedDate = moment } : .outsideValidity
        case .text(let digits)?:
            // Read or not, it is no reason to call the proof forged.
            guard let number = Int(digits), let moment = Self.moment(Double(number)) else { return .outside }
            return abs(moment.timeIntervalSince(date)) < 86_400 ? .perhaps { $0.signedDate = moment } : .outside
        case .bool?, .composite?: return .outside
        }
    }

    private func refund(_ value: JSONLiteral?) -> Effect {
        switch (self, value) {
        case (.revocationType, nil), (.revocationType, .null?): .facts { $0.revocationType = nil }
        case (.revocationType, .text(let name)?):
            ["REFUND_FULL", "REFUND_PRORATED", "FAMILY_REVOKE"].contains(name) ? .facts { $0.revocationType = name } : .outside
        case (.revocationPercentage, nil), (.revocationPercentage, .null?): .facts { $0.revocationPercentage = nil }
        case (.revocationPercentage, .number?):
            value?.integer.map { number in .facts { $0.revocationPercentage = number } } ?? .outside
        case (.revocationReason, nil), (.revocationReason, .null?): .facts { $0.revocationReason = nil }
        case (.revocationReason, .number("0")?): .facts { $0.revocationReason = 0 }
        case (.revocationReason, .number("1")?): .facts { $0.revocationReason = 1 }
        case (.isUpgraded, nil), (.isUpgraded, .null?), (.isUpgraded, .bool(false)?): .facts { $0.isUpgraded = false }
        case (.isUpgraded, .bool(true)?): .facts { $0.isUpgraded = true }
        case (.multiSeatInfo, nil), (.multiSeatInfo, .null?): .facts { _ in }
        case (.multiSeatInfo, .composite(let json)?): seats(json)
        default: .outside
        }
    }

    private func seats(_ json: String) -> Effect {
        switch json {
        case #"{"revokedSeatQuantity":3}"#: .facts { $0.revokedSeats = 3 }
        case #"{"revokedSeatQuantity":0}"#, #"{"revokedSeatQuantity":null}"#: .facts { $0.revokedSeats = 0 }
        case _ where json.contains("revokedSeatQuantity") || json.hasPrefix("["): .outside
        default: .facts { $0.revokedSeats = 0 }
        }
    }

    private static func moment(_ milliseconds: Double) -> Date? {
        let whole = milliseconds.rounded(.down)
        return whole >= 0 && whole < 253_402_300_800_000 ? Date(timeIntervalSince1970: whole / 1000) : nil
    }

    /// Short enough for a row, and of characters that have a shape.
    static func isPrintable(_ text: String) -> Bool {
        (1...128).contains(text.unicodeScalars.count) && text.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x7F }
    }
}
