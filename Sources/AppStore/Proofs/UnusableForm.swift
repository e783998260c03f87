// SPDX-License-Identifier: Apache-2.0

package import Verification

/// A text that clients send in place of a proof, by a mistake that is known. It is recognised, and never believed.
package enum UnusableForm: Hashable, Sendable, CaseIterable {
    case empty
    case noValue
    case description
    case uuid
    case page
    case decodedTransaction
    case appTransaction
    case renewalInfo
    case notification
    case receiptAnswer
    case transactionReceipt
    case severalProofs
    case damaged
    case cutReceipt
    case compressed

    /// The mistake, in words for the client's developer.
    package var mistake: String {
        switch self {
        case .empty: "an empty text"
        case .noValue: "a word for no value, as nil or undefined"
        case .description: "the description of an object, not its contents"
        case .uuid: "a UUID: Apple's transaction ids are digits"
        case .page: "an HTML page"
        case .decodedTransaction: "a decoded transaction: send `jwsRepresentation`"
        case .appTransaction: "an app transaction, which shows no purchase: send a transaction's `jwsRepresentation`"
        case .renewalInfo: "a subscription's renewal info: send its transaction's `jwsRepresentation`"
        case .notification: "an App Store Server Notification: send a transaction's `jwsRepresentation`"
        case .receiptAnswer: "an answer of verifyReceipt: send the receipt itself"
        case .transactionReceipt: "an iOS 6 style receipt: send the app receipt"
        case .severalProofs: "several proofs in one text: send one of them"
        case .damaged: "the beginning of a proof, and its rest is damaged or missing"
        case .cutReceipt: "a receipt whose end is missing"
        case .compressed: "a compressed text (gzip): send it as it was"
        }
    }

    /// The form of a text that is no proof; nil when it isn't known.
    init?(_ text: ArraySlice<UInt8>) {
        let text = text.trimmingWhitespace()
        let start = String(decoding: text.prefix(40), as: UTF8.self).lowercased()
        switch start {
        case "": self = .empty
        case "nil", "null", "(null)", "<null>", "undefined", "none", "nan", "optional(nil)": self = .noValue
        case _ where start.hasPrefix("<!doctype html") || start.hasPrefix("<html"): self = .page
        case _ where ["optional(", "[object ", "{length = "].contains { start.hasPrefix($0) }: self = .description
        case _ where Self.isUUID(text): self = .uuid
        // In base64, and in bytes: RFC 1952, 2.3.1.
        case _ where text.starts(with: "H4sI".utf8) || text.starts(with: [0x1F, 0x8B]): self = .compressed
        case _ where Self.isTransactionReceipt(text): self = .transactionReceipt
        case _ where ["MII", "MIM", "eyJ"].contains { text.starts(with: $0.utf8) }: self = .damaged
        default: return nil
        }
    }

    /// The form of a JSON object, by the names of its fields.
    init?(fields: Set<String>) {
        func has(_ names: String...) -> Bool { names.allSatisfy(fields.contains) }
        if has("alg", "x5c") {
            // The header of a JWS, whose certificates look like receipts.
            self = .damaged
        } else if has("signedPayload") || has("notificationType") {
            self = .notification
        } else if has("transactionId", "bundleId") && (has("purchaseDate") || has("signedDate")) {
            self = .decodedTransaction
        } else if has("transactionId") {
            return nil
        } else if has("autoRenewStatus") || has("autoRenewProductId") {
            self = .renewalInfo
        } else if has("receiptType") || has("originalApplicationVersion") {
            self = .appTransaction
        } else if has("status") && (fields.count == 1 || has("receipt") || has("latest_receipt_info") || has("environment")) {
            self = .receiptAnswer
        } else {
            return nil
        }
    }

    /// The form of the payload of a JWS; nil for a transaction's, and where it isn't known.
    ///
    /// - Parameter payload: JSON, decoded from base64.
    package init?(signedPayload payload: [UInt8]) {
        guard let fields = JSONFields.object(payload[...]) else { return nil }
        self.init(fields: fields.names)
        if self == .decodedTransaction { return nil }
    }

    /// Whether it is a text of Apple's own that StoreKit or a notification hands out beside transactions.
    var isSignedByApple: Bool {
        switch self {
        case .appTransaction, .renewalInfo, .notification: true
        default: false
        }
    }

    /// The form of a proof that was recognised and is malformed all the same; nil when it isn't known.
    package init?(_ proof: Proof) {
        switch proof {
        case .signedTransaction(let jws):
            guard let payload = CompactJWS(jws)?.payload else { return nil }
            self.init(signedPayload: payload)
        case .appReceipt(let base64):
            guard let head = Base64.decode(unpadded: Array(base64.utf8.prefix(8))[...], as: .standard),
                let announced = EncodedReceipt.announcedBytes(head), base64.utf8.count / 4 * 3 < announced
            else { return nil }
            self = .cutReceipt
        case .transactionID: return nil
        }
    }

    private static let purchaseKey = Array(#""purchase-info""#.utf8)

    /// Whether bytes look like an iOS 6 style receipt, which is an old property list: a brace, white space, a quoted key, and the
    /// key that holds the purchase. The certificate that signed such receipts has ended, so that only Apple knows whether one is
    /// genuine.
    static func isTransactionReceipt(_ bytes: ArraySlice<UInt8>) -> Bool {
        guard bytes.first == UInt8(ascii: "{") else { return false }
        let inside = bytes.dropFirst()
        guard let second = inside.first, second.isWhitespace,
            inside.first(where: { !$0.isWhitespace }) == UInt8(ascii: "\"")
        else { return false }
        return inside.contains(bytes: purchaseKey)
    }

    /// Purchase fakers on jailbroken devices make up transaction ids of this form; Apple's are digits.
    private static func isUUID(_ text: ArraySlice<UInt8>) -> Bool {
        guard text.count == 36 else { return false }
        return zip(0..., text).allSatisfy { position, byte in
            switch position {
            case 8, 13, 18, 23: byte == UInt8(ascii: "-")
            default: byte.isHexDigit
            }
        }
    }
}
