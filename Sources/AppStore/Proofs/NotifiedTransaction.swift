// SPDX-License-Identifier: Apache-2.0

/// The signed transaction in a notification that a client or a backend uploads in a transaction's place. Apple signs it by itself,
/// so that nothing of the notification has to be believed.
enum NotifiedTransaction {
    /// A payload with a signed text in it has more symbols than this, and a transaction's has fewer, mostly. Only a longer one is
    /// looked into, because proofs are read by the thousand.
    private static let leastSymbols = 2048

    /// The text in a signed notification; nil for anything else, and for a notification without exactly one.
    ///
    /// - Parameter jws: three parts of base64url.
    static func text(inSigned jws: ArraySlice<UInt8>) -> [UInt8]? {
        guard let second = jws.lastIndex(of: CompactJWS.separator),
            let first = jws[..<second].lastIndex(of: CompactJWS.separator), second - first > leastSymbols,
            let payload = Base64.decode(unpadded: jws[(first + 1)..<second], as: .url),
            let fields = JSONFields.object(payload[...])
        else { return nil }
        return text(in: fields)
    }

    /// The text in a notification that is signed, in the body of Apple's request, or decoded; nil as above.
    static func text(in fields: JSONFields) -> [UInt8]? {
        if fields.names.contains("notificationType") {
            guard case .nested(let data)? = fields.only("data"), let inner = JSONFields.object(data),
                case .string(let content)? = inner.only("signedTransactionInfo")
            else { return nil }
            return JSONEscapes.decode(content)
        }
        guard case .string(let content)? = fields.only("signedPayload"), let signed = JSONEscapes.decode(content) else {
            return nil
        }
        return text(inSigned: signed[...])
    }
}

extension JSONFields {
    /// The value of a field that stands there once.
    fileprivate func only(_ name: String) -> JSONScanner.Value? {
        let values = all.filter { $0.name == name }
        return values.count == 1 ? values[0].value : nil
    }
}
