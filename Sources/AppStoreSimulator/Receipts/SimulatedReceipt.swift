// SPDX-License-Identifier: Apache-2.0

package import FoundationEssentials

/// An app receipt as a device would upload it: PKCS#7 around the attributes of the app and of its purchases.
///
/// The bytes are DER with definite lengths, except that the sets are not in DER's order, as in Apple's own receipts;
/// the purchases stand in no order of time either. Without a signer the container bears neither certificates nor
/// signature, which is enough for whoever looks at the content only.
///
/// The opaque value makes each receipt distinct: the simulator answers by it, so what it says of one blob can change
/// while the blob stays the same (``ReceiptProgram``).
package struct SimulatedReceipt: Sendable {
    package var bundleId: String
    package var environment: SimulatedEnvironment
    /// Attribute 0; the volume-purchase types end in `VPP` and `VPPSandbox`.
    package var receiptType: String
    package var applicationVersion = "42"
    /// Always `1.0` in sandbox.
    package var originalApplicationVersion: String
    package var creationDate: Date
    package var originalPurchaseDate: Date
    /// For volume purchases only.
    package var expirationDate: Date?
    package var opaqueValue: [UInt8]
    package var transactions: [SimulatedTransaction]
    /// Who signs it, as the App Store does today; nil leaves it unsigned. See ``signed(by:as:forged:)`` for other ways.
    package var signer: SimulatedCertificateAuthority?

    /// A receipt of `transactions`, issued at the latest of their dates, or now when there are none.
    package init(
        bundleId: String = "com.example.app",
        environment: SimulatedEnvironment = .production,
        transactions: [SimulatedTransaction],
        creationDate: Date? = nil,
        signedBy signer: SimulatedCertificateAuthority? = nil
    ) {
        self.bundleId = bundleId
        self.environment = environment
        self.transactions = transactions
        self.signer = signer
        receiptType = environment == .sandbox ? "ProductionSandbox" : "Production"
        originalApplicationVersion = environment == .sandbox ? "1.0" : "7"
        let created = creationDate ?? transactions.map(\.purchaseDate).max() ?? Date()
        self.creationDate = created
        originalPurchaseDate = transactions.map(\.originalPurchaseDate).min() ?? created
        opaqueValue = (0..<16).map { _ in UInt8.random(in: .min ... .max) }
    }

    /// What the simulator knows this receipt by.
    package var id: ReceiptID {
        ReceiptID(opaqueValue: opaqueValue)
    }

    /// The receipt as a client uploads it and as verifyReceipt takes it: standard base64 in one line.
    package var base64: String {
        get throws {
            try Data(encoded()).base64EncodedString()
        }
    }

    /// The receipt's bytes. Equal receipts of one signer give equal bytes.
    package func encoded() throws -> [UInt8] {
        guard let signer else { return try ReceiptContainer(content: content()).encoded() }
        return try signedBytes(by: signer)
    }

    /// The attributes, which the signature is over.
    package func content() throws -> [UInt8] {
        var encoder = ReceiptEncoder(receipt: self)
        return try encoder.content()
    }
}
