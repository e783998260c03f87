// SPDX-License-Identifier: Apache-2.0

/// The fields of a JSON object, or the elements of an array.
struct JSONFields {
    struct Field {
        /// Nil for an element of an array.
        let name: String?
        let value: JSONScanner.Value
    }

    /// Most fields of an object that is looked into. Bodies of requests have fewer than 50.
    private static let limit = 256

    let all: [Field]

    var names: Set<String> { Set(all.compactMap(\.name)) }

    /// Nil when the text is anything else, or has too many fields.
    static func object(_ text: ArraySlice<UInt8>) -> JSONFields? {
        fields(of: text, between: "{", and: "}") { scanner in
            guard let name = scanner.string().flatMap(JSONEscapes.decode), scanner.skip(":"), let value = scanner.value()
            else { return nil }
            return Field(name: String(decoding: name, as: UTF8.self), value: value)
        }
    }

    /// Nil when the text is anything else, or has too many elements.
    static func array(_ text: ArraySlice<UInt8>) -> JSONFields? {
        fields(of: text, between: "[", and: "]") { scanner in scanner.value().map { Field(name: nil, value: $0) } }
    }

    private static func fields(
        of text: ArraySlice<UInt8>, between start: Unicode.Scalar, and end: Unicode.Scalar,
        _ take: (inout JSONScanner) -> Field?
    ) -> JSONFields? {
        var scanner = JSONScanner(text)
        guard scanner.skip(start) else { return nil }
        var fields: [Field] = []
        while !scanner.skip(end) {
            guard fields.count < limit, fields.isEmpty || scanner.skip(","), let field = take(&scanner) else { return nil }
            fields.append(field)
        }
        return scanner.isAtEnd() ? JSONFields(all: fields) : nil
    }
}
