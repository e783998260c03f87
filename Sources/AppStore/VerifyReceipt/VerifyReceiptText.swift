// SPDX-License-Identifier: Apache-2.0

/// A value of a receipt, as text.
///
/// Apple documents strings throughout; numbers and Booleans have been seen in their place and mean the same.
struct VerifyReceiptText: Decodable {
    let text: String

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if let string = try? container.decode(String.self) {
            text = string
        } else if let number = try? container.decode(Int64.self) {
            text = String(number)
        } else {
            text = try container.decode(Bool.self) ? "true" : "false"
        }
    }
}

extension KeyedDecodingContainer {
    /// The field's text; nil when it is missing, null, empty or no simple value.
    func text(_ key: Key) -> String? {
        guard let value = try? decodeIfPresent(VerifyReceiptText.self, forKey: key), !value.text.isEmpty else { return nil }
        return value.text
    }
}
