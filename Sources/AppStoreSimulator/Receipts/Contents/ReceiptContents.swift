// SPDX-License-Identifier: Apache-2.0

package import FoundationEssentials

/// What an app receipt says of itself: the attributes of the app and of every purchase in it.
///
/// Reads genuine receipts as well as simulated ones. It looks at nothing but the content: neither certificates nor
/// signature, which is why it must not be used to decide anything that a customer gets.
///
/// Work and memory are bounded by ``Limits``: the walk is as deep as the format, attributes of unknown types are
/// stepped over unread, and bytes after the container are refused.
package struct ReceiptContents: Sendable, Equatable {
    package var receiptType: String
    package var bundleID: String
    package var applicationVersion: String
    package var originalApplicationVersion: String
    package var opaqueValue: [UInt8]
    package var creationDate: Date?
    package var originalPurchaseDate: Date?
    package var expirationDate: Date?
    /// In the order of the receipt, which means nothing.
    package var purchases: [Purchase]

    /// Reads the receipt in `bytes`.
    package init(_ bytes: [UInt8], limits: Limits = Limits()) throws(ReceiptContentsError) {
        guard bytes.count <= limits.size else { throw .tooLarge }
        let content = try Self.encapsulatedContent(of: bytes)
        let attributes = try Attributes(set: content, maximum: limits.attributes + limits.purchases, limits: limits)

        receiptType = try attributes.text(ReceiptAttribute.receiptType) ?? ""
        guard let bundleID = try attributes.text(ReceiptAttribute.bundleID) else { throw .malformed("no bundle id") }
        self.bundleID = bundleID
        applicationVersion = try attributes.text(ReceiptAttribute.applicationVersion) ?? ""
        originalApplicationVersion = try attributes.text(ReceiptAttribute.originalApplicationVersion) ?? ""
        opaqueValue = Array(attributes.bytes(ReceiptAttribute.opaqueValue) ?? [])
        creationDate = try attributes.date(ReceiptAttribute.creationDate)
        originalPurchaseDate = try attributes.date(ReceiptAttribute.originalPurchaseDate)
        expirationDate = try attributes.date(ReceiptAttribute.expirationDate)
        purchases = []
        for purchase in attributes.purchases {
            guard purchases.count < limits.purchases else { throw .tooMany }
            purchases.append(try Purchase(set: purchase, limits: limits))
        }
    }

    /// What the simulator knows the receipt by.
    package var id: ReceiptID {
        ReceiptID(opaqueValue: opaqueValue)
    }

    /// The environment that the receipt type names; `ProductionVPPSandbox` and its like are sandbox.
    package var environment: SimulatedEnvironment {
        receiptType.hasSuffix("Sandbox") ? .sandbox : .production
    }

    /// The OCTET STRING in ContentInfo > SignedData > EncapsulatedContentInfo (RFC 5652, sections 3 and 5).
    private static func encapsulatedContent(of bytes: [UInt8]) throws(ReceiptContentsError) -> ArraySlice<UInt8> {
        var outermost = DERReader(bytes[...])
        var contentInfo = DERReader(try outermost.expect(DERReader.Tag.sequence))
        guard outermost.isAtEnd else { throw .malformed("bytes after the container") }
        guard try contentInfo.expect(DERReader.Tag.objectIdentifier).elementsEqual(signedDataType) else {
            throw .malformed("not signed data")
        }
        var explicit = DERReader(try contentInfo.expect(DERReader.Tag.explicitZero))
        var signedData = DERReader(try explicit.expect(DERReader.Tag.sequence))
        _ = try signedData.expect(DERReader.Tag.integer)
        _ = try signedData.expect(DERReader.Tag.set)
        var encapsulated = DERReader(try signedData.expect(DERReader.Tag.sequence))
        _ = try encapsulated.expect(DERReader.Tag.objectIdentifier)
        var content = DERReader(try encapsulated.expect(DERReader.Tag.explicitZero))
        return try content.expect(DERReader.Tag.octetString)
    }

    /// 1.2.840.113549.1.7.2
    private static let signedDataType: [UInt8] = [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x07, 0x02]
}

extension ReceiptContents {
    /// How much a receipt may make its reader do.
    package struct Limits: Sendable, Equatable {
        /// Bytes of the whole receipt; default 4 MiB. Genuine receipts with years of renewals reach several hundred KB.
        package var size = 4 * 1024 * 1024
        /// Attributes of the app and, separately, of one purchase; default 256. Genuine ones have about 30 and 20.
        package var attributes = 256
        /// Purchases; default 10,000.
        package var purchases = 10_000
        /// Bytes of one attribute that is read and is not a set; default 4 KiB.
        package var value = 4 * 1024

        package init() {}
    }
}

/// Why bytes are not taken for an app receipt.
package enum ReceiptContentsError: Error, Equatable {
    /// Larger than ``ReceiptContents/Limits/size``.
    case tooLarge
    /// More attributes or purchases than allowed, or a value longer than allowed.
    case tooMany
    /// BER's indefinite form, which only Xcode's local receipts use.
    case indefiniteLength
    /// Not the shape of a receipt; the text names the first thing that was wrong.
    case malformed(String)
}
