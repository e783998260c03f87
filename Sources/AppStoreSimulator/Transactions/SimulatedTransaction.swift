// SPDX-License-Identifier: Apache-2.0

package import FoundationEssentials

/// A purchase as Apple would record it, with the fields of a decoded signed transaction.
///
/// The properties bear Apple's names, because they are Apple's payload. The initializer fills in what belongs to the
/// type of product, as Apple would for a first purchase made just now; everything can be changed afterwards. Prices are
/// in thousandths of the currency unit, for the whole quantity.
package struct SimulatedTransaction: Sendable, Equatable {
    package var transactionId: String
    package var originalTransactionId: String
    package var webOrderLineItemId: String?
    package var appTransactionId: String?
    package var bundleId: String
    package var productId: String
    package var type: SimulatedProductType
    package var quantity: Int
    package var purchaseDate: Date
    package var originalPurchaseDate: Date
    package var expiresDate: Date?
    package var signedDate: Date
    package var appAccountToken: UUID?
    package var inAppOwnershipType = "PURCHASED"
    package var transactionReason = "PURCHASE"
    /// `SEAT_ADDITION` on each transaction of a period to which seats were added.
    package var additionalTransactionReason: String?
    package var environment: SimulatedEnvironment
    /// The text that is signed as `environment`; nil for the environment's own name.
    package var signedEnvironment: String?
    package var storefront: String? = "USA"
    package var storefrontId: String? = "143441"
    package var price: Int64?
    package var currency: String? = "USD"
    package var revocationDate: Date?
    package var revocationReason: Int?
    package var revocationType: String?
    package var revocationPercentage: Int?
    /// Who invites those who get the seats of a purchase for several: `APPLE` or `DEVELOPER`. The seats' prices stand beside it.
    package var invitationManagement: String?
    /// How many seats of a purchase for several were refunded. `multiSeatInfo` is left out without this and who invites.
    package var revokedSeatQuantity: Int?
    package var isUpgraded: Bool?
    /// When a period gave way to that of a dearer plan. Receipts have it in the place of a refund's date; signed transactions
    /// don't.
    package var upgradeDate: Date?
    package var offerType: Int?
    package var offerIdentifier: String?
    package var offerPeriod: String?
    package var offerDiscountType: String?
    package var subscriptionGroupIdentifier: String?
    package var billingPlanType: String?
    /// Of a purchase that is paid for month by month: `commitmentInfo`.
    package var commitment: SimulatedCommitment?
    package var previousOriginalTransactionId: String?
    /// Of `advancedCommerceInfo`, which is left out without it: a purchase through Advanced Commerce has one.
    package var requestReferenceId: String?
    package var deviceVerification: String?
    package var deviceVerificationNonce: String?

    /// A first purchase of `quantity` units of a product.
    ///
    /// - Parameters:
    ///   - transactionId: an id of the environment's usual form (15 digits in production, 16 beginning with 2000000 in
    ///     sandbox) is drawn at random when nil.
    ///   - purchaseDate: also the original purchase date; the signature is dated at the same moment unless changed.
    package init(
        productId: String,
        bundleId: String = "com.example.app",
        type: SimulatedProductType = .consumable,
        environment: SimulatedEnvironment = .production,
        quantity: Int = 1,
        purchaseDate: Date = Date(),
        transactionId: String? = nil,
        appAccountToken: UUID? = nil
    ) {
        var generator = SystemRandomNumberGenerator()
        let id = transactionId ?? Self.makeTransactionID(in: environment, using: &generator)
        self.transactionId = id
        originalTransactionId = id
        appTransactionId = Self.makeAppTransactionID(using: &generator)
        self.bundleId = bundleId
        self.productId = productId
        self.type = type
        self.quantity = quantity
        self.purchaseDate = purchaseDate
        originalPurchaseDate = purchaseDate
        signedDate = purchaseDate
        self.appAccountToken = appAccountToken
        self.environment = environment
        price = 1990 * Int64(quantity)
        if type == .autoRenewable {
            webOrderLineItemId = Self.makeLineItemID(in: environment, using: &generator)
            expiresDate = purchaseDate.addingTimeInterval(30 * 86_400)
            subscriptionGroupIdentifier = "20990001"
        }
    }

    /// What receipts and verifyReceipt give as the date of the cancellation.
    package var cancellationDate: Date? { revocationDate ?? upgradeDate }

    /// The payload of this transaction's signed form as JSON text, its fields in the order in which Apple writes them.
    ///
    /// - Parameter environmentName: what to write in place of the environment's own name; `Xcode` and `LocalTesting`
    ///   are names that never come from Apple.
    package func payload(environmentName: String? = nil) -> [UInt8] {
        var json = JSONWriter()
        json.object { json in
            json.field("transactionId", transactionId)
            json.field("originalTransactionId", originalTransactionId)
            json.field("webOrderLineItemId", webOrderLineItemId)
            json.field("bundleId", bundleId)
            json.field("productId", productId)
            json.field("subscriptionGroupIdentifier", subscriptionGroupIdentifier)
            json.field("purchaseDate", purchaseDate.milliseconds)
            json.field("originalPurchaseDate", originalPurchaseDate.milliseconds)
            json.field("expiresDate", expiresDate?.milliseconds)
            json.field("quantity", Int64(quantity))
            json.field("type", type.rawValue)
            json.field("deviceVerification", deviceVerification)
            json.field("deviceVerificationNonce", deviceVerificationNonce)
            json.field("appAccountToken", appAccountToken?.uuidString.lowercased())
            json.field("inAppOwnershipType", inAppOwnershipType)
            json.field("signedDate", signedDate.milliseconds)
            addChanges(to: &json)
            json.field("offerType", offerType.map(Int64.init))
            json.field("offerIdentifier", offerIdentifier)
            json.field("environment", environmentName ?? signedEnvironment ?? environment.rawValue)
            json.field("transactionReason", transactionReason)
            json.field("storefront", storefront)
            json.field("storefrontId", storefrontId)
            json.field("price", price)
            json.field("currency", price == nil ? nil : currency)
            json.field("offerDiscountType", offerDiscountType)
            json.field("appTransactionId", appTransactionId)
            json.field("offerPeriod", offerPeriod)
            json.field("billingPlanType", billingPlanType)
            addRarerFields(to: &json)
        }
        return json.bytes
    }

    /// The transaction as Apple hands it out: a compact JWS whose header carries the certificates.
    ///
    /// - Parameter forged: makes the result wrong in exactly one way, which the variant names.
    package func signedTransaction(
        by authority: SimulatedCertificateAuthority,
        forged: ForgedVariant? = nil
    ) throws -> String {
        try authority.sign(payload: payload(environmentName: forged?.environmentName), at: signedDate, forged: forged)
    }

    /// A transaction id of the form that Apple uses in `environment`.
    package static func makeTransactionID(in environment: SimulatedEnvironment) -> String {
        var generator = SystemRandomNumberGenerator()
        return makeTransactionID(in: environment, using: &generator)
    }

    /// The same, drawn from `generator`.
    static func makeTransactionID(
        in environment: SimulatedEnvironment, using generator: inout some RandomNumberGenerator
    ) -> String {
        switch environment {
        case .production: String(Int.random(in: 1...9, using: &generator)) + digits(14, using: &generator)
        case .sandbox: "2000000" + digits(9, using: &generator)
        }
    }

    /// The id of a payment of a subscription, of the form that Apple uses in `environment`.
    static func makeLineItemID(
        in environment: SimulatedEnvironment, using generator: inout some RandomNumberGenerator
    ) -> String {
        (environment == .sandbox ? "2000000" : "4800000") + digits(8, using: &generator)
    }

    /// The id of an Apple Account in an app.
    static func makeAppTransactionID(using generator: inout some RandomNumberGenerator) -> String {
        "70" + digits(16, using: &generator)
    }

    /// What became of it after the purchase.
    private func addChanges(to json: inout JSONWriter) {
        json.field("revocationReason", revocationReason.map(Int64.init))
        json.field("revocationDate", revocationDate?.milliseconds)
        json.field("revocationType", revocationType)
        json.field("revocationPercentage", revocationPercentage.map(Int64.init))
        json.field("isUpgraded", isUpgraded)
    }

    private func addRarerFields(to json: inout JSONWriter) {
        if let commitment {
            json.key("commitmentInfo")
            json.object { json in
                json.field("billingPeriodNumber", Int64(commitment.number))
                json.field("totalBillingPeriods", Int64(commitment.total))
                json.field("commitmentExpiresDate", commitment.expiresDate.milliseconds)
                json.field("commitmentPrice", commitment.price)
            }
        }
        if invitationManagement != nil || revokedSeatQuantity != nil {
            json.key("multiSeatInfo")
            json.object { json in
                json.field("invitationManagement", invitationManagement)
                if invitationManagement != nil { json.priceTiers([(price: price ?? 0, quantity: quantity)], as: "priceTiers") }
                json.field("revokedSeatQuantity", revokedSeatQuantity.map(Int64.init))
            }
        }
        json.field("additionalTransactionReason", additionalTransactionReason)
        json.field("previousOriginalTransactionId", previousOriginalTransactionId)
        if let requestReferenceId {
            json.key("advancedCommerceInfo")
            json.object { $0.field("requestReferenceId", requestReferenceId) }
        }
    }

    private static func digits(_ count: Int, using generator: inout some RandomNumberGenerator) -> String {
        var text = ""
        for _ in 0..<count { text.append(Character(String(Int.random(in: 0...9, using: &generator)))) }
        return text
    }
}

/// A plan for a year that is paid for month by month, at one of its payments.
package struct SimulatedCommitment: Sendable, Equatable {
    /// Which payment of the year it is, from 1.
    package var number: Int
    package var total: Int
    /// When the year ends.
    package var expiresDate: Date
    /// Of the whole year.
    package var price: Int64
}

extension JSONWriter {
    /// Writes a field with the prices of seats: the price of one, and how many cost it.
    mutating func priceTiers(_ tiers: [(price: Int64, quantity: Int)], as name: StaticString) {
        key(name)
        objects(tiers) { json, tier in
            json.field("price", tier.price)
            json.field("quantity", Int64(tier.quantity))
        }
    }
}
