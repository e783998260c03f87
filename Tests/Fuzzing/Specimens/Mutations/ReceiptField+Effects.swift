// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Verification

extension ReceiptField {
    /// What the attribute's value means; of an absent attribute it is nil.
    ///
    /// - Parameter date: when the original was made.
    func effect(of value: DERLiteral?, madeAt date: Date) -> Effect {
        switch self {
        case .receiptType: type(value)
        case .bundleID: bundle(value)
        case .creationDate: creation(value, date)
        case .quantity: units(value)
        case .productID: text(value, absent: .outside) { $0.transaction.productID = ProductID(rawValue: $1) }
        case .transactionID: id(value, absent: .outside) { $0.transaction.id = TransactionID(rawValue: $1) }
        case .originalTransactionID:
            id(value, absent: .perhaps { $0.transaction.originalID = $0.transaction.id }) {
                $0.transaction.originalID = TransactionID(rawValue: $1)
            }
        case .webOrderLineItemID: lineItem(value)
        case .purchaseDate: moment(value, absent: .outside) { $0.transaction.purchaseDate = $1 }
        case .originalPurchaseDate:
            moment(value, absent: .facts { $0.transaction.originalPurchaseDate = nil }) { $0.transaction.originalPurchaseDate = $1 }
        case .expiresDate: moment(value, absent: .facts { $0.transaction.expiresDate = nil }) { $0.transaction.expiresDate = $1 }
        case .cancellationDate: moment(value, absent: .facts { $0.cancellationDate = nil }) { $0.cancellationDate = $1 }
        case .productType: .facts { $0.transaction.productKind = Self.kind(value?.integer) }
        default: .facts { _ in }
        }
    }

    private static func kind(_ number: Int?) -> ProductKind? {
        switch number {
        case 0: .nonConsumable
        case 1: .consumable
        case 2: .nonRenewing
        case 3: .autoRenewable
        default: nil
        }
    }

    private func type(_ value: DERLiteral?) -> Effect {
        switch value?.text {
        case "Production", "ProductionVPP": .facts { $0.move(to: .production) }
        case "ProductionSandbox", "ProductionVPPSandbox": .facts { $0.move(to: .sandbox) }
        case "Xcode": .ofXcode
        default: .outside
        }
    }

    private func bundle(_ value: DERLiteral?) -> Effect {
        guard let text = value?.text, [SignedField.otherBundleID.rawValue, "com.example.app"].contains(text) else { return .outsideRoot }
        return .facts { facts in
            facts.transaction.bundleID = BundleID(rawValue: text)
            for index in facts.others.indices { facts.others[index].bundleID = BundleID(rawValue: text) }
        }
    }

    private func creation(_ value: DERLiteral?, _ date: Date) -> Effect {
        guard let value, value.text != "" else { return .perhaps { $0.creationDate = nil } }
        guard let moment = Self.moment(value) else { return .outside }
        return abs(moment.timeIntervalSince(date)) < 86_400 ? .facts { $0.creationDate = moment } : .outsideValidity
    }

    private func units(_ value: DERLiteral?) -> Effect {
        guard let value else { return .perhaps { $0.transaction.quantity = 1 } }
        guard let number = value.integer ?? value.text.flatMap({ Int($0) }), (1...2_147_483_647).contains(number) else { return .outside }
        return value.text == nil ? .facts { $0.transaction.quantity = number } : .perhaps { $0.transaction.quantity = number }
    }

    private func text(
        _ value: DERLiteral?, absent: Effect, _ set: @escaping (inout ReceiptFactsOfPurchase, String) -> Void
    ) -> Effect {
        guard let value, value.text != "" else { return absent }
        guard let text = value.text, SignedField.isPrintable(text) else { return .outside }
        return .facts { set(&$0, text) }
    }

    /// As ``text(_:absent:_:)``; a number says the same as its digits, and texts other than digits may be refused.
    private func id(
        _ value: DERLiteral?, absent: Effect, _ set: @escaping (inout ReceiptFactsOfPurchase, String) -> Void
    ) -> Effect {
        if let number = value?.integer { return .perhaps { set(&$0, String(number)) } }
        guard let text = value?.text, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
            guard case .facts(let change) = self.text(value, absent: absent, set) else { return self.text(value, absent: absent, set) }
            return .perhaps(change)
        }
        return self.text(value, absent: absent, set)
    }

    private func lineItem(_ value: DERLiteral?) -> Effect {
        switch (value, value?.integer, value?.text) {
        case (nil, _, _), (_, 0?, _): return .facts { $0.transaction.webOrderLineItemID = nil }
        case (_, _, ""?): return .perhaps { $0.transaction.webOrderLineItemID = nil }
        case (_, let number?, _): return .facts { $0.transaction.webOrderLineItemID = String(number) }
        case (_, _, let text?):
            guard Int(text) != nil, SignedField.isPrintable(text) else { return .outside }
            return .perhaps { $0.transaction.webOrderLineItemID = text }
        default: return .outside
        }
    }

    private func moment(
        _ value: DERLiteral?, absent: Effect, _ set: @escaping (inout ReceiptFactsOfPurchase, Date) -> Void
    ) -> Effect {
        guard let value, value.text != "" else { return absent }
        guard let moment = Self.moment(value) else { return .outside }
        return .facts { set(&$0, moment) }
    }

    /// Only the dates that the generator itself writes: all others are made to be unreadable.
    private static func moment(_ value: DERLiteral) -> Date? {
        guard let text = value.text, text.utf8.count == 20, let date = try? Date(text, strategy: .iso8601), Self.text(date) == text,
            date.timeIntervalSince1970 >= 0
        else { return nil }
        return date
    }
}

extension ReceiptFactsOfPurchase {
    /// All purchases of a receipt are of one environment.
    fileprivate mutating func move(to environment: AppStoreEnvironment) {
        transaction.environment = environment
        for index in others.indices { others[index].environment = environment }
    }
}
