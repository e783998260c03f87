// SPDX-License-Identifier: Apache-2.0

import AppStoreSimulator
import FoundationEssentials
package import Fuzzing
import Verification

/// Derives mutated receipts from a valid one of two purchases: each attribute changed in each way, signed in each way. The second
/// purchase stays as it is.
package struct MutatedReceipts: Sendable {
    private typealias Attributes = [(type: Int, value: DERLiteral)]

    private let authority: SimulatedCertificateAuthority
    private let stranger: SimulatedCertificateAuthority
    private let date: Date

    package init(_ source: SpecimenSource) throws {
        authority = source.authority
        stranger = try SimulatedCertificateAuthority(now: source.date)
        date = source.date
    }

    package func proofs() throws -> [MutatedProof] {
        try ReceiptField.allCases.flatMap(proofs(changing:)) + purchasesWithoutForm()
    }

    private func proofs(changing field: ReceiptField) throws -> [MutatedProof] {
        let original = field.isOfPurchase ? purchase : app
        let value = original.first { $0.type == field.rawValue }?.value
        var changes = DERLiteral.changes(of: value ?? .utf8("")) + field.listedValues(at: date).map { (.listedValue, $0) }
        if field.isDate { changes += ReceiptField.unreadableDates(near: date).map { (.unreadableDate, $0) } }
        if case .ia5(let text)? = value, field.isDate, !text.isEmpty { changes.append((.fraction, .ia5(text.dropLast() + ".25Z"))) }
        changes.removeAll { $0.1 == value }
        var proofs = try changes.flatMap { mutation, changed in
            // A fraction of a second is dropped.
            let isFraction = mutation == .fraction && changed.text?.hasSuffix(".25Z") ?? false
            let effect = field.effect(of: isFraction ? value : changed, madeAt: date)
            return try signed(field, mutation, original, [changed], expectation(field, effect))
        }
        if value != nil {
            proofs += try signed(field, .absent, original, [], expectation(field, field.effect(of: nil, madeAt: date)))
        }
        for pair in repetitions(of: field, value) {
            let isOdd = pair[0] != pair[1] && field.decidesAboutMoney
            var facts = facts
            // Nobody knows then which kind Apple means, and the shop's list decides.
            if field == .productType, pair[0] != pair[1] { facts.transaction.productKind = nil }
            let expectation: MutatedProof.Expectation =
                !isOdd ? .verified(facts.changed, beside: facts.others) : field == .bundleID ? .outsideRoot : undecided(field)
            proofs += try signed(field, .duplicate, original, pair, expectation)
        }
        return proofs
    }

    private func repetitions(of field: ReceiptField, _ value: DERLiteral?) -> [[DERLiteral]] {
        let listed = field.listedValues(at: date)[0]
        guard let value else { return [[listed, .utf8("SomethingNew")]] }
        return [[value, value], [value, listed], [listed, value]]
    }

    private func expectation(_ field: ReceiptField, _ effect: ReceiptField.Effect) -> MutatedProof.Expectation {
        var facts = facts
        switch effect {
        case .facts(let change):
            change(&facts)
            return .verified(facts.changed, beside: facts.others)
        case .perhaps(let change):
            change(&facts)
            return .verifiedOrUndecided(facts.changed, beside: facts.others)
        case .outside: return undecided(field)
        case .ofXcode: return .refusedAsXcode
        case .outsideRoot: return .outsideRoot
        case .outsideValidity: return .outsideValidity
        }
    }

    /// An attribute of the receipt leaves all of its purchases undecided; one of a purchase, that purchase.
    private func undecided(_ field: ReceiptField) -> MutatedProof.Expectation {
        field.isOfPurchase ? .undecided(beside: facts.others, mayBeRefunded: field == .cancellationDate) : .undecided()
    }

    /// The receipt with an attribute that has some values, signed in every way.
    private func signed(
        _ field: ReceiptField, _ mutation: MutatedProof.Mutation, _ original: Attributes, _ values: [DERLiteral],
        _ expectation: MutatedProof.Expectation
    ) throws -> [MutatedProof] {
        var attributes = original
        let place = attributes.firstIndex { $0.type == field.rawValue } ?? attributes.endIndex
        attributes.removeAll { $0.type == field.rawValue }
        attributes.insert(contentsOf: values.map { (field.rawValue, $0) }, at: place)
        let content =
            field.isOfPurchase
            ? content(app, [.set(attributes), .set(other)]) : content(attributes, [.set(purchase), .set(other)])
        return try signed(field.name, mutation, content, shown: values.map { "\($0)" }.joined(separator: ", "), expectation)
    }

    private func signed(
        _ field: String, _ mutation: MutatedProof.Mutation, _ content: [UInt8], shown: String, _ expectation: MutatedProof.Expectation
    ) throws -> [MutatedProof] {
        let unchanged = self.content(app, [.set(purchase), .set(other)])
        let receipts: [(MutatedProof.Signing, [UInt8], MutatedProof.Expectation)] = [
            (.trusted, try authority.signReceipt(content: content), expectation),
            (.unsigned, try authority.forgeReceipt(content: content, signedAs: unchanged), .refused),
            (.foreign, try stranger.signReceipt(content: content), .refused),
        ]
        return receipts.map {
            MutatedProof(.receipt, field: field, mutation, $0.0, text: Data($0.1).base64EncodedString(), value: shown, expectation: $0.2)
        }
    }

    /// The attribute that holds a purchase, when it holds none.
    private func purchasesWithoutForm() throws -> [MutatedProof] {
        let damaged: [(MutatedProof.Mutation, DERLiteral)] =
            [(.absent, .bytes([]))] + DERLiteral.changes(of: .utf8("")).filter { $0.1.encoded != [] }
        return try damaged.flatMap { mutation, value in
            try signed(
                "17 purchase", mutation, content(app, [value, .set(other)]), shown: "\(value)", .undecided(beside: facts.others))
        }
    }

    private func content(_ app: Attributes, _ purchases: [DERLiteral]) -> [UInt8] {
        DERLiteral.set(app + purchases.map { (17, $0) }).encoded
    }
}

extension MutatedReceipts {
    private var app: [(type: Int, value: DERLiteral)] {
        let made = DERLiteral.ia5(ReceiptField.text(date))
        return [
            (0, .utf8("Production")), (2, .utf8("com.example.app")), (3, .utf8("42")), (12, made), (18, made), (19, .utf8("7")),
            (21, .ia5("")),
        ]
    }

    private var purchase: [(type: Int, value: DERLiteral)] {
        attributes(product: "com.example.app.genuine", id: "430000000000001", quantity: 3)
    }

    private var other: [(type: Int, value: DERLiteral)] {
        attributes(product: "com.example.app.other", id: "430000000000002", quantity: 1)
    }

    private func attributes(product: String, id: String, quantity: Int) -> [(type: Int, value: DERLiteral)] {
        let bought = DERLiteral.ia5(ReceiptField.text(date))
        return [
            (1701, .integer(quantity)), (1702, .utf8(product)), (1703, .utf8(id)), (1704, bought), (1705, .utf8(id)), (1706, bought),
            (1707, .integer(1)), (1708, .ia5("")), (1711, .integer(0)), (1712, .ia5("")), (1719, .integer(0)),
        ]
    }

    private var facts: ReceiptFactsOfPurchase {
        func transaction(_ product: String, _ id: String, _ quantity: Int) -> Transaction {
            Transaction(
                bundleID: GenuinePurchase.bundleID, environment: .production, id: TransactionID(rawValue: id),
                originalID: TransactionID(rawValue: id), productID: ProductID(rawValue: product), productKind: .consumable,
                quantity: quantity, purchaseDate: date, originalPurchaseDate: date)
        }
        return ReceiptFactsOfPurchase(
            transaction: transaction("com.example.app.genuine", "430000000000001", 3),
            others: [transaction("com.example.app.other", "430000000000002", 1)], creationDate: date)
    }
}
