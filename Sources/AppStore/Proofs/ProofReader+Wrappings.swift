// SPDX-License-Identifier: Apache-2.0

import Verification

/// Wrappings, from the outside to the inside. The base64 of base64 is taken off by the reader itself.
extension ProofReader {
    /// The only names under which digits count as a transaction's id: prices, dates and quantities are digits, too.
    private static let idNames: Set<String> = ["transactionId", "transaction_id", "transactionIdentifier", "transactionID"]

    /// Fields that hold Apple's other signed texts, as an answer of Get All Subscription Statuses has them beside a transaction's.
    private static let besideTransactions: Set<String> = ["signedRenewalInfo", "signedAppTransactionInfo"]

    /// - Parameter text: without white space around it.
    func unwrapped(_ text: ArraySlice<UInt8>, layers: Int) -> Reading {
        guard layers > 0 else { return .unknown(nil) }
        if let fields = JSONFields.object(text) { return reading(of: fields, by: .jsonObject, layers: layers) }
        if let fields = JSONFields.array(text) { return reading(of: fields, by: .jsonArray, layers: layers) }
        if let fields = LabelledText.form(text) { return reading(of: fields, by: .form, layers: layers) }
        if let (inner, repair) = Self.unwrapped(text) { return reading(of: inner, layers: layers - 1).after([repair]) }
        return LabelledText.printed(text).map(reading(ofPrinted:)) ?? .unknown(nil)
    }

    /// The one proof among the words of a printed object, which may show it several times.
    private func reading(ofPrinted words: [ArraySlice<UInt8>]) -> Reading {
        var found: Set<ReadProof> = []
        for word in words {
            switch reading(of: word, layers: 0) {
            case .proof(let proof): found.insert(proof)
            case .refused(let reason): return .refused(reason)
            case .unknown: continue
            }
        }
        guard let proof = found.first else { return .unknown(.description) }
        return found.count == 1 ? .proof(proof).after([.printedObject]) : .unknown(.severalProofs)
    }

    /// The text inside the outermost wrapping; nil when there is none.
    private static func unwrapped(_ text: ArraySlice<UInt8>) -> (ArraySlice<UInt8>, ProofRepair)? {
        if let inner = jsonString(text) { return (inner[...], .jsonString) }
        if let inner = TextCodes.hex(text) { return (inner[...], .hex) }
        if let inner = inner(of: text, between: "Optional(", and: ")") { return (inner, .optional) }
        if let inner = LabelledText.dataURL(text) { return (inner, .dataURL) }
        for quote in ["'", "b'", "b\""] {
            if let inner = inner(of: text, between: quote, and: String(quote.suffix(1))) { return (inner, .quotes) }
        }
        if text.contains(UInt8(ascii: "\\")), let inner = JSONEscapes.decode(text) { return (inner[...], .jsonEscapes) }
        if let inner = TextCodes.percent(text) { return (inner[...], .percent) }
        if let inner = TextCodes.characterReferences(text) { return (inner[...], .characterReferences) }
        return nil
    }

    private static func jsonString(_ text: ArraySlice<UInt8>) -> [UInt8]? {
        var scanner = JSONScanner(text)
        guard let content = scanner.string(), scanner.isAtEnd() else { return nil }
        return JSONEscapes.decode(content)
    }

    private static func inner(of text: ArraySlice<UInt8>, between start: String, and end: String) -> ArraySlice<UInt8>? {
        guard text.count > start.utf8.count + end.utf8.count, text.starts(with: start.utf8),
            text.suffix(end.utf8.count).elementsEqual(end.utf8)
        else { return nil }
        return text.dropFirst(start.utf8.count).dropLast(end.utf8.count)
    }

    /// The one proof among the fields; where there is none, the one transaction's id.
    private func reading(of fields: JSONFields, by repair: ProofRepair, layers: Int) -> Reading {
        let form = UnusableForm(fields: fields.names)
        // These hold signed data that is no transaction's proof.
        if form == .damaged { return .unknown(form) }
        if form == .notification { return NotifiedTransaction.text(in: fields).map(reading(ofNotified:)) ?? .unknown(form) }
        var proofs: [Reading] = []
        var ids: [Reading] = []
        var inner: UnusableForm?
        let passedOver = fields.names.contains("signedTransactionInfo") ? Self.besideTransactions : []
        for field in fields.all where !(field.name.map(passedOver.contains) ?? false) {
            switch reading(of: field, layers: layers - 1) {
            case .proof(let found) where found.proof.kind == .transactionID: ids.append(.proof(found))
            case .unknown(let form?) where inner == nil || inner == .noValue: inner = form
            case .unknown: break
            case let found: proofs.append(found)
            }
        }
        if proofs.count == 1 { return proofs[0].after([repair]) }
        if proofs.isEmpty, let form { return .unknown(form) }
        if proofs.isEmpty, ids.count == 1 { return ids[0].after([repair]) }
        return .unknown(proofs.isEmpty && ids.isEmpty ? inner : .severalProofs)
    }

    private func reading(of field: JSONFields.Field, layers: Int) -> Reading {
        let isID = field.name.map(Self.idNames.contains) ?? true
        switch field.value {
        case .nested(let text): return reading(of: text, layers: layers)
        case .scalar(let text): return isID ? reading(of: text, layers: 0) : .unknown(UnusableForm(text))
        case .string(let content):
            guard let text = JSONEscapes.decode(content), case let found = reading(of: text[...], layers: layers) else {
                return .unknown(nil)
            }
            switch found {
            case .proof(let proof) where proof.proof.kind == .transactionID && !isID: return .unknown(nil)
            case .proof, .refused, .unknown(.transactionReceipt), .unknown(.compressed): return found
            // Any field may be empty or a UUID.
            case .unknown: return .unknown(nil)
            }
        }
    }
}
