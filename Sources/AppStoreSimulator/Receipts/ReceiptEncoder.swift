// SPDX-License-Identifier: Apache-2.0

import Crypto
import FoundationEssentials
import SwiftASN1

/// Writes a simulated receipt's attributes: what its signature is over.
struct ReceiptEncoder {
    private let receipt: SimulatedReceipt
    private var generator: SeededGenerator

    init(receipt: SimulatedReceipt) {
        self.receipt = receipt
        generator = SeededGenerator(seed: receipt.opaqueValue.reduce(0) { $0 &* 257 &+ UInt64($1) })
    }

    mutating func content() throws -> [UInt8] {
        try attributeSet(receiptAttributes())
    }

    private mutating func receiptAttributes() throws -> [[UInt8]] {
        let device = (0..<16).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
        let bundleID = try Self.utf8(receipt.bundleId)
        var attributes = try [
            Self.attribute(ReceiptAttribute.receiptType, Self.utf8(receipt.receiptType)),
            Self.attribute(ReceiptAttribute.bundleID, bundleID),
            Self.attribute(ReceiptAttribute.applicationVersion, Self.utf8(receipt.applicationVersion)),
            Self.attribute(ReceiptAttribute.opaqueValue, receipt.opaqueValue),
            Self.attribute(
                ReceiptAttribute.deviceHash,
                Array(Insecure.SHA1.hash(data: device + receipt.opaqueValue + bundleID))
            ),
            Self.attribute(ReceiptAttribute.creationDate, Self.date(receipt.creationDate)),
            Self.attribute(ReceiptAttribute.originalPurchaseDate, Self.date(receipt.originalPurchaseDate)),
            Self.attribute(ReceiptAttribute.originalApplicationVersion, Self.utf8(receipt.originalApplicationVersion)),
            Self.attribute(ReceiptAttribute.expirationDate, Self.date(receipt.expirationDate)),
        ]
        for transaction in receipt.transactions {
            attributes.append(
                try Self.attribute(ReceiptAttribute.purchase, attributeSet(Self.purchaseAttributes(transaction))))
        }
        return attributes
    }

    private static func purchaseAttributes(_ transaction: SimulatedTransaction) throws -> [[UInt8]] {
        try [
            attribute(ReceiptAttribute.quantity, integer(Int64(transaction.quantity))),
            attribute(ReceiptAttribute.productID, utf8(transaction.productId)),
            attribute(ReceiptAttribute.transactionID, utf8(transaction.transactionId)),
            attribute(ReceiptAttribute.originalTransactionID, utf8(transaction.originalTransactionId)),
            attribute(ReceiptAttribute.purchaseDate, date(transaction.purchaseDate)),
            attribute(ReceiptAttribute.originalPurchaseDateOfPurchase, date(transaction.originalPurchaseDate)),
            attribute(ReceiptAttribute.productType, integer(transaction.type.receiptNumber ?? -1)),
            attribute(ReceiptAttribute.subscriptionExpiration, date(transaction.expiresDate)),
            attribute(
                ReceiptAttribute.webOrderLineItemID,
                integer(transaction.webOrderLineItemId.flatMap { Int64($0) } ?? 0)
            ),
            attribute(ReceiptAttribute.cancellationDate, date(transaction.cancellationDate)),
            attribute(ReceiptAttribute.introductoryOffer, integer(transaction.offerType == 1 ? 1 : 0)),
        ]
    }

    /// A SET of the attributes in an order that is not DER's: Apple does not sort either.
    private mutating func attributeSet(_ attributes: [[UInt8]]) -> [UInt8] {
        var shuffled = attributes.shuffled(using: &generator)
        if zip(shuffled, shuffled.dropFirst()).allSatisfy({ $0.lexicographicallyPrecedes($1) }) {
            shuffled.swapAt(0, shuffled.count - 1)
        }
        var serializer = DER.Serializer()
        serializer.appendConstructedNode(identifier: .set) { set in
            for attribute in shuffled { set.serializeRawBytes(attribute) }
        }
        return serializer.serializedBytes
    }

    /// `SEQUENCE { type INTEGER, version INTEGER, value OCTET STRING }`
    private static func attribute(_ type: Int, _ value: [UInt8]) throws -> [UInt8] {
        var serializer = DER.Serializer()
        try serializer.appendConstructedNode(identifier: .sequence) { sequence in
            try sequence.serialize(type)
            try sequence.serialize(1)
            try sequence.serialize(ASN1OctetString(contentBytes: value[...]))
        }
        return serializer.serializedBytes
    }

    private static func utf8(_ text: String) throws -> [UInt8] {
        var serializer = DER.Serializer()
        try serializer.serialize(ASN1UTF8String(text))
        return serializer.serializedBytes
    }

    /// An absent date is an empty text.
    private static func date(_ date: Date?) throws -> [UInt8] {
        var serializer = DER.Serializer()
        try serializer.serialize(ASN1IA5String(date?.receiptText ?? ""))
        return serializer.serializedBytes
    }

    private static func integer(_ number: Int64) throws -> [UInt8] {
        var serializer = DER.Serializer()
        try serializer.serialize(number)
        return serializer.serializedBytes
    }
}
