// SPDX-License-Identifier: Apache-2.0

import AppStore
import AppStoreSimulator
import FoundationEssentials
package import Fuzzing
package import Verification

/// Derives mutated signed transactions from valid ones: each field changed in each way, signed in each way.
package struct MutatedTransactions: Sendable {
    /// A valid transaction.
    private struct Original {
        var fields: [(field: SignedField, value: JSONLiteral)]
        var facts: SignedFacts
    }

    private let authority: SimulatedCertificateAuthority
    private let stranger: SimulatedCertificateAuthority
    private let date: Date

    package init(_ source: SpecimenSource) throws {
        authority = source.authority
        stranger = try SimulatedCertificateAuthority(now: source.date)
        date = source.date
    }

    /// The apps that the trusted root has to speak for.
    package static let bundleIDs = [GenuinePurchase.bundleID, SignedField.otherBundleID]

    /// Every field of a consumable is changed under each signature. Of the others, the fields that decide about money are, under
    /// the trusted one: the rest is the same.
    package func proofs() throws -> [MutatedProof] {
        try SignedField.allCases.flatMap { try proofs(changing: $0, of: consumable) }
            + [subscription, refunded].flatMap { original in
                try SignedField.allCases.filter(\.decidesAboutMoney).flatMap { try proofs(changing: $0, of: original, [.trusted]) }
            }
    }

    private func proofs(
        changing field: SignedField, of original: Original, _ signings: [MutatedProof.Signing] = MutatedProof.Signing.allCases
    ) throws -> [MutatedProof] {
        let value = original.fields.first { $0.field == field }?.value
        var changes = JSONLiteral.changes(of: value) + field.listedValues(at: date).map { (.listedValue, $0) }
        changes.removeAll { $0.1 == value }
        var proofs = try changes.flatMap { mutation, changed in
            try signed(
                field, mutation, original, [changed], signings, shown: changed.json,
                expectation(of: original, field.effect(of: changed, signedAt: date)))
        }
        if value != nil {
            proofs += try signed(
                field, .absent, original, [], signings, shown: "", expectation(of: original, field.effect(of: nil, signedAt: date)))
        }
        for pair in repetitions(of: field, value) {
            let isAmbiguous = Set(pair).count > 1 && field.decidesAboutMoney
            let expectation =
                !isAmbiguous ? original.facts.expectation : field == .bundleId ? .outsideRoot : MutatedProof.Expectation.undecided()
            proofs += try signed(
                field, .duplicate, original, pair, signings, shown: pair.map(\.json).joined(separator: ", "), expectation)
        }
        return proofs
    }

    /// A field that stands there twice: alike, and with two values in either order. Which of two prices or customers is kept is
    /// open.
    private func repetitions(of field: SignedField, _ value: JSONLiteral?) -> [[JSONLiteral]] {
        guard field != .price, field != .currency, field != .appTransactionId else { return value.map { [[$0, $0]] } ?? [] }
        let listed = field.listedValues(at: date).first { $0 != value } ?? .text("SOMETHING_NEW")
        guard let value else { return [[listed, .null], [.null, listed]] }
        return [[value, value], [value, listed], [listed, value], [value, .null], [.null, value]]
    }

    private func expectation(of original: Original, _ effect: SignedField.Effect) -> MutatedProof.Expectation {
        var facts = original.facts
        switch effect {
        case .facts(let change):
            change(&facts)
            return facts.expectation
        case .perhaps(let change):
            change(&facts)
            return facts.lenientExpectation
        case .outside: return .undecided()
        case .ofXcode: return .refusedAsXcode
        case .outsideRoot: return .outsideRoot
        case .outsideValidity: return .outsideValidity
        }
    }

    /// The transaction with a field that has some values, signed in some ways.
    private func signed(
        _ field: SignedField, _ mutation: MutatedProof.Mutation, _ original: Original, _ values: [JSONLiteral],
        _ signings: [MutatedProof.Signing], shown: String, _ expectation: MutatedProof.Expectation
    ) throws -> [MutatedProof] {
        func text(_ values: [JSONLiteral]) -> [UInt8] {
            var pairs = original.fields.map { ($0.field, $0.value) }
            let place = pairs.firstIndex { $0.0 == field } ?? pairs.endIndex
            pairs.removeAll { $0.0 == field }
            pairs.insert(contentsOf: values.map { (field, $0) }, at: place)
            return Array(("{" + pairs.map { "\"\($0.0.rawValue)\":\($0.1.json)" }.joined(separator: ",") + "}").utf8)
        }
        let payload = text(values)
        return try signings.map { signing in
            let jws: String
            switch signing {
            case .trusted: jws = try authority.sign(payload: payload, at: date)
            case .foreign: jws = try stranger.sign(payload: payload, at: date)
            case .unsigned:
                let unchanged = try authority.sign(
                    payload: text(original.fields.filter { $0.field == field }.map(\.value)), at: date)
                var parts = unchanged.split(separator: ".").map(String.init)
                parts[1] = Base64.encode(payload, as: .url)
                jws = parts.joined(separator: ".")
            }
            return MutatedProof(
                .signedTransaction, field: field.rawValue, mutation, signing, text: jws, value: shown,
                expectation: signing == .trusted ? expectation : .refused)
        }
    }
}

extension MutatedTransactions {
    private var milliseconds: String { String(Int(date.timeIntervalSince1970) * 1000) }

    private var consumable: Original {
        let transaction = Transaction(
            bundleID: GenuinePurchase.bundleID, environment: .production,
            id: TransactionID(rawValue: "430000000000001"), originalID: TransactionID(rawValue: "430000000000001"),
            productID: GenuinePurchase.productID, productKind: .consumable, quantity: 1, purchaseDate: date,
            appAccountToken: UUID(uuidString: "7E3FB8B4-1E1B-4A71-9C4B-5A2D9B0E9C11"), ownership: .purchased,
            originalPurchaseDate: date, purchaseReason: .purchase, price: SignedPrice(milliunits: 1990, currency: "USD"),
            customerID: CustomerID("704000000000000001"))
        return Original(
            fields: [
                (.transactionId, .text("430000000000001")), (.originalTransactionId, .text("430000000000001")),
                (.appTransactionId, .text("704000000000000001")), (.bundleId, .text("com.example.app")),
                (.productId, .text("com.example.app.genuine")), (.purchaseDate, .number(milliseconds)),
                (.originalPurchaseDate, .number(milliseconds)), (.quantity, .number("1")), (.type, .text("Consumable")),
                (.appAccountToken, .text("7e3fb8b4-1e1b-4a71-9c4b-5a2d9b0e9c11")),
                (.inAppOwnershipType, .text("PURCHASED")), (.signedDate, .number(milliseconds)),
                (.environment, .text("Production")), (.transactionReason, .text("PURCHASE")), (.storefront, .text("USA")),
                (.storefrontId, .text("143441")), (.price, .number("1990")), (.currency, .text("USD")),
            ],
            facts: SignedFacts(transaction: transaction, signedDate: date))
    }

    /// A period of a subscription.
    private var subscription: Original {
        var original = consumable
        original.facts.transaction.productKind = .autoRenewable
        original.facts.transaction.webOrderLineItemID = "480000000000001"
        original.facts.transaction.expiresDate = date.addingTimeInterval(30 * 86_400)
        original.fields.removeAll { $0.field == .type }
        original.fields += [
            (.type, .text("Auto-Renewable Subscription")), (.webOrderLineItemId, .text("480000000000001")),
            (.expiresDate, .number(String(Int(date.timeIntervalSince1970) * 1000 + 30 * 86_400_000))),
            (.subscriptionGroupIdentifier, .text("20990001")), (.isUpgraded, .bool(false)), (.offerType, .number("1")),
            (.offerDiscountType, .text("FREE_TRIAL")), (.offerPeriod, .text("P1W")),
            (.multiSeatInfo, .composite(#"{"revokedSeatQuantity":0,"invitationManagement":"APPLE"}"#)),
        ]
        return original
    }

    /// Refunded in part.
    private var refunded: Original {
        var original = consumable
        original.facts.revocationDate = date
        original.facts.revocationType = "REFUND_PRORATED"
        original.facts.revocationPercentage = 40_000
        original.facts.revocationReason = 0
        original.fields += [
            (.revocationDate, .number(milliseconds)), (.revocationType, .text("REFUND_PRORATED")),
            (.revocationPercentage, .number("40000")), (.revocationReason, .number("0")),
        ]
        return original
    }
}
