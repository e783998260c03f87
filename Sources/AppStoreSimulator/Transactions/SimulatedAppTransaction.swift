// SPDX-License-Identifier: Apache-2.0

package import FoundationEssentials

/// What Apple says of a customer's download of an app, under Apple's names. It bears neither `signedDate` nor `environment`.
package struct SimulatedAppTransaction: Sendable, Equatable {
    package var bundleId: String
    package var environment: SimulatedEnvironment
    /// Shown in production only.
    package var appAppleId: Int64
    package var appTransactionId: String
    package var originalPurchaseDate: Date
    /// When it was signed.
    package var receiptCreationDate: Date

    package init(
        bundleId: String, environment: SimulatedEnvironment, appAppleId: Int64, appTransactionId: String,
        originalPurchaseDate: Date, receiptCreationDate: Date
    ) {
        self.bundleId = bundleId
        self.environment = environment
        self.appAppleId = appAppleId
        self.appTransactionId = appTransactionId
        self.originalPurchaseDate = originalPurchaseDate
        self.receiptCreationDate = receiptCreationDate
    }

    /// The payload of its signed form as JSON text.
    package func payload() -> [UInt8] {
        let isProduction = environment == .production
        var json = JSONWriter()
        json.object { json in
            json.field("receiptType", environment.rawValue)
            json.field("appAppleId", isProduction ? appAppleId : nil)
            json.field("bundleId", bundleId)
            json.field("applicationVersion", "42")
            json.field("versionExternalIdentifier", isProduction ? 850_000_001 : 0)
            json.field("receiptCreationDate", receiptCreationDate.milliseconds)
            json.field("originalPurchaseDate", originalPurchaseDate.milliseconds)
            json.field("originalApplicationVersion", isProduction ? "7" : "1.0")
            json.field("requestDate", receiptCreationDate.milliseconds)
            json.field("appTransactionId", appTransactionId)
            json.field("originalPlatform", "iOS")
        }
        return json.bytes
    }

    /// The app transaction as Apple hands it out: a compact JWS.
    package func signed(by authority: SimulatedCertificateAuthority) throws -> String {
        try authority.sign(payload: payload(), at: receiptCreationDate)
    }
}
