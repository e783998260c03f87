// SPDX-License-Identifier: Apache-2.0

package import AppStore
package import AppStoreSimulator
package import FoundationEssentials
package import Fuzzing
import Verification

/// Inputs of every form that a reader knows, genuine ones and forged ones, made anew each time under a simulated
/// authority. Fuzzing starts from them.
package struct SpecimenSource: Sendable {
    package struct Specimen: Sendable {
        /// Tells it from the others of its reader; good as the name of a file.
        package let name: String
        package let bytes: [UInt8]

        init(_ name: String, _ bytes: some Sequence<UInt8>) {
            self.name = name
            self.bytes = Array(bytes)
        }
    }

    package let authority: SimulatedCertificateAuthority

    /// When all of them were bought and signed: a whole second.
    let date: Date

    package init(now: Date = Date()) throws {
        authority = try SimulatedCertificateAuthority(now: now)
        date = Date(timeIntervalSince1970: now.timeIntervalSince1970.rounded(.down))
    }

    /// DER of the root that all of them hang on.
    package var root: [UInt8] { authority.rootCertificateDER }

    /// Trust in the authority, for the specimens' app.
    package var anchors: TrustAnchors {
        get throws {
            TrustAnchors(further: [try ExtraRoot(certificate: root, bundleIDs: [GenuinePurchase.bundleID])])
        }
    }

    package func specimens(for reader: UntrustedReader) throws -> [Specimen] {
        switch reader {
        case .proofReader: try proofs()
        case .signedTransaction: try signedTransactions()
        case .appReceipt: try appReceipts()
        case .appleJSON: json()
        }
    }

    private func signedTransactions() throws -> [Specimen] {
        let genuine = try transactions(of: GenuinePurchase.productID).enumerated().map { number, transaction in
            Specimen("genuine-\(number)", try transaction.signedTransaction(by: authority).utf8)
        }
        let forged = transactions(of: GenuinePurchase.forgedProductID)[0]
        return try genuine + oddSignedTransactions()
            + ForgedVariant.forgeries.map { variant in
                Specimen(variant.rawValue, try forged.signedTransaction(by: authority, forged: variant).utf8)
            }
    }

    private func appReceipts() throws -> [Specimen] {
        var specimens: [Specimen] = []
        for digest in ReceiptSignature.Digest.allCases {
            for coversAttributes in [false, true] {
                var signature = ReceiptSignature()
                signature.digest = digest
                signature.coversAttributes = coversAttributes
                let name = "genuine-\(digest.rawValue)" + (coversAttributes ? "-attributes" : "")
                specimens.append(
                    Specimen(name, try receipt(of: GenuinePurchase.productID).signedBytes(by: authority, as: signature))
                )
            }
        }
        let forged = receipt(of: GenuinePurchase.forgedProductID)
        return try specimens + oddReceipts()
            + ForgedReceiptVariant.forgeries.map { variant in
                Specimen(variant.rawValue, try forged.signedBytes(by: authority, forged: variant))
            }
    }

    /// One text of each kind, and each with the damage that is mended.
    private func proofs() throws -> [Specimen] {
        let receipt = try receipt(of: GenuinePurchase.productID).signed(by: authority)
        let jws = try signedTransactions()[0].bytes
        let twice = Data(receipt.utf8).base64EncodedString()
        return [
            Specimen("signed-transaction", jws), Specimen("receipt", receipt.utf8),
            Specimen("ios6-style-receipt", Self.iOS6StyleReceipt.utf8),
            Specimen("encoded-twice", twice.utf8), Specimen("transaction-id", "430000000000001".utf8),
            Specimen("uuid", "2E1B7C0A-54D4-4E57-9B30-5D0C6A7CDB5F".utf8),
            Specimen("spaces", receipt.replacing("+", with: " ").utf8),
            Specimen("url-alphabet", receipt.replacing("+", with: "-").replacing("/", with: "_").utf8),
            Specimen("unpadded", receipt.replacing("=", with: "").utf8),
            Specimen("lines", (" " + receipt.prefix(64) + "\r\n" + receipt.dropFirst(64) + "\n").utf8),
            Specimen("indefinite", Data([0x30, 0x80, 6, 9, 0x2A, 0, 0]).base64EncodedString().utf8),
        ] + wrappedProofs(jws: String(decoding: jws, as: UTF8.self), receipt: receipt)
    }

    private func json() -> [Specimen] {
        transactions(of: GenuinePurchase.productID).enumerated().map { number, transaction in
            Specimen("payload-\(number)", transaction.payload())
        } + oddPayloads() + AppleAnswers.all.map { Specimen($0.name, $0.body.utf8) }
    }

    func receipt(of product: ProductID) -> SimulatedReceipt {
        SimulatedReceipt(
            bundleId: GenuinePurchase.bundleID.rawValue, transactions: transactions(of: product), creationDate: date)
    }

    func transactions(of product: ProductID) -> [SimulatedTransaction] {
        zip([SimulatedProductType.consumable, .autoRenewable, .nonConsumable], GenuinePurchase.transactionIDs)
            .map { type, id in
                SimulatedTransaction(
                    productId: product.rawValue, bundleId: GenuinePurchase.bundleID.rawValue, type: type,
                    quantity: GenuinePurchase.quantity, purchaseDate: date, transactionId: id,
                    appAccountToken: UUID(uuidString: "7E3FB8B4-1E1B-4A71-9C4B-5A2D9B0E9C11"))
            }
    }
}
