// SPDX-License-Identifier: Apache-2.0

/// A proof that was recognised, and the repairs that it needed.
package struct ReadProof: Hashable, Sendable {
    package let proof: Proof

    /// From the outermost to the innermost; each once.
    package let repairs: [ProofRepair]

    package init(_ proof: Proof, repairs: [ProofRepair] = []) {
        self.proof = proof
        self.repairs = repairs
    }
}

/// An upload that is no proof of any kind.
package struct UnreadableProof: Error, Hashable, Sendable {
    /// `malformedProof`, `proofTooLarge` or `unsupportedEnvironment`.
    package let reason: Reason

    /// The likely mistake, in words for the client's developer; nil when none is known. Nothing of the upload is in them.
    package let mistake: String?

    package init(_ reason: Reason, mistake: String? = nil) {
        self.reason = reason
        self.mistake = mistake
    }
}

/// Harm that a client, a backend or a way between them did to a proof. Each has exactly one meaning, so it is undone.
///
/// The raw value is the word for it in the attempt's message.
package enum ProofRepair: String, Hashable, Sendable, CaseIterable {
    // The text around or inside the proof.
    case byteOrderMark = "byte order mark"
    /// No-break and zero-width spaces, soft hyphens.
    case invisibleCharacters = "invisible characters"
    case tabs
    /// Lines that begin or end with spaces.
    case foldedLines = "folded lines"

    // The alphabet and the padding of base64.
    /// Spaces that were `+` before a form's encoding.
    case spacesForPlus = "spaces for plus"
    /// `-` and `_` in a receipt.
    case urlAlphabet = "url alphabet"
    /// `+` and `/` in a signed transaction.
    case standardAlphabet = "standard alphabet"
    /// Missing in a receipt, or there in a signed transaction.
    case padding

    // Wrappings; each is a layer.
    case jsonString = "json string"
    case jsonObject = "json object"
    case jsonArray = "json array"
    /// The escapes of a JSON string without its quotes, as `\/`.
    case jsonEscapes = "json escapes"
    case percent
    /// `&#43;` and its like.
    case characterReferences = "character references"
    /// `\x…`, which PostgreSQL makes of bytes.
    case hex
    case base64
    /// The transaction in a notification of Apple's, which is signed by itself.
    case notification
    /// `'…'`, or `b'…'` as Python shows bytes.
    case quotes
    /// `Optional(…)`, as Swift shows it.
    case optional
    /// `data:…,`
    case dataURL = "data url"
    /// `Bearer …`, of a header of HTTP.
    case bearer
    /// `receipt-data=…&password=…`
    case form
    /// An object as Swift, Dart or Kotlin print it.
    case printedObject = "printed object"

    // A receipt that should have been base64.
    case unencodedReceipt = "unencoded receipt"

    /// The repairs as they stand in a message; nil when there are none.
    package static func words(_ repairs: [ProofRepair]) -> String? {
        repairs.isEmpty ? nil : "repaired: " + repairs.map(\.rawValue).joined(separator: ", ")
    }
}
