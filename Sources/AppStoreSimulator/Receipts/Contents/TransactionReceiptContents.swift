// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials

/// The claims of a transaction receipt: the fields of its one purchase, and its environment.
///
/// Reads only the flat form `{ "name" = "value"; … }` that Apple's have, at most 64 KiB and 100 fields of
/// it; anything else is nil.
struct TransactionReceiptContents: Sendable, Equatable {
    /// The fields of `purchase-info` under Apple's names.
    let fields: [String: String]
    let environment: SimulatedEnvironment

    init?(_ bytes: [UInt8]) {
        guard bytes.first == UInt8(ascii: "{"), bytes.count <= 64 * 1024 else { return nil }
        guard let envelope = Self.propertyList(bytes[...]), let encoded = envelope["purchase-info"],
            let purchase = Data(base64Encoded: encoded), let fields = Self.propertyList(Array(purchase)[...]),
            fields["transaction-id"] != nil, fields["bid"] != nil
        else { return nil }
        self.fields = fields
        environment = envelope["environment"] == "Sandbox" ? .sandbox : .production
    }

    var id: ReceiptID {
        ReceiptID(transactionID: fields["transaction-id"] ?? "")
    }

    /// The moment in a field of milliseconds.
    func date(_ field: String) -> Date? {
        fields[field].flatMap { Double($0) }.map { Date(timeIntervalSince1970: $0 / 1000) }
    }

    private static func propertyList(_ bytes: ArraySlice<UInt8>) -> [String: String]? {
        var parser = Parser(rest: bytes)
        guard parser.skip("{") else { return nil }
        var fields: [String: String] = [:]
        while !parser.skip("}") {
            guard fields.count < 100, let name = parser.quoted(), parser.skip("="), let value = parser.quoted(),
                parser.skip(";")
            else { return nil }
            fields[name] = value
        }
        return fields
    }

    /// Takes one token after another off the text, with the white space before it.
    private struct Parser {
        var rest: ArraySlice<UInt8>

        mutating func skip(_ token: Unicode.Scalar) -> Bool {
            rest = rest.drop { [0x20, 0x09, 0x0A, 0x0D].contains($0) }
            guard rest.first == UInt8(ascii: token) else { return false }
            rest = rest.dropFirst()
            return true
        }

        mutating func quoted() -> String? {
            guard skip("\""), let end = rest.firstIndex(of: UInt8(ascii: "\"")) else { return nil }
            let text = String(decoding: rest[..<end], as: UTF8.self)
            rest = rest[rest.index(after: end)...]
            return text
        }
    }
}
