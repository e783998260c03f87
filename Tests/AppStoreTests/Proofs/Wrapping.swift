// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Testing
import Verification

/// One way in which clients and backends wrap a text, and the repairs that take it off.
struct Wrapping: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let repairs: [ProofRepair]
    let wrap: @Sendable (String) -> String

    private init(_ name: String, _ repairs: ProofRepair..., wrap: @escaping @Sendable (String) -> String) {
        testDescription = name
        self.repairs = repairs
        self.wrap = wrap
    }

    /// Fit for every proof of letters, digits, `+`, `/`, `=`, `-`, `_` and `.`.
    static let all = [
        Wrapping("a JSON string", .jsonString) { "\"\($0)\"" },
        Wrapping("a JSON string with escaped slashes", .jsonString) { "\"\($0.replacing("/", with: #"\/"#))\"\n" },
        Wrapping("a JSON string of Unicode escapes", .jsonString) { text in
            "\"" + text.utf8.map { #"\u00"# + hex($0) }.joined() + "\""
        },
        Wrapping("a JSON string in a JSON string", .jsonString) { #""\"\#($0)\"""# },
        Wrapping("a JSON object", .jsonObject) {
            #"{"receipt-data": "\#($0)", "password": "abc", "exclude-old-transactions": true}"#
        },
        Wrapping("an object beside other facts", .jsonObject) {
            #"{"bundleId":"com.example.app","quantity":1,"price":4990,"token":"de305d54-75b4-431b-adb2-eb6b9e546014","jwsRepresentation":"\#($0)"}"#
        },
        Wrapping("an object beside an id", .jsonObject) { #"{"transactionId":"2000000123456789","proof":"\#($0)"}"# },
        Wrapping("objects in an object", .jsonObject) { #"{"data":{"transaction":{"jws":"\#($0)"}},"ok":true}"# },
        Wrapping("a JSON array", .jsonArray) { #"["\#($0)"]"# },
        Wrapping("percent codes", .percent) { percent($0) },
        Wrapping("percent codes twice", .percent) { percent(percent($0)) },
        Wrapping("percent codes of a JSON string", .percent, .jsonString) { percent("\"\($0)\"") },
        Wrapping("character references", .characterReferences) { text in
            text.utf8.map { "&#\($0);" }.joined()
        },
        Wrapping("hexadecimal character references", .characterReferences) { text in
            text.utf8.map { "&#x\(hex($0));" }.joined()
        },
        Wrapping("quotes of HTML", .characterReferences, .jsonString) { "&quot;\($0)&quot;" },
        Wrapping("bytea", .hex) { text in #"\x"# + text.utf8.map(hex).joined() },
        Wrapping("bytea of a JSON object", .hex, .jsonObject) { text in
            #"\x"# + #"{"proof":"\#(text)"}"#.utf8.map(hex).joined()
        },
        Wrapping("escapes without quotes", .jsonEscapes) { $0 + #"\n"# },
        Wrapping("base64", .base64) { Data($0.utf8).base64EncodedString() },
        Wrapping("base64 of a JSON object", .base64, .jsonObject) {
            Data(#"{"receipt-data":"\#($0)"}"#.utf8).base64EncodedString()
        },
        Wrapping("Python's bytes", .quotes) { "b'\($0)'" },
        Wrapping("single quotes", .quotes) { "'\($0)'" },
        Wrapping("Swift's optional", .optional, .jsonString) { "Optional(\"\($0)\")" },
        Wrapping("a data URL", .dataURL) { "data:application/octet-stream;base64,\($0)" },
        Wrapping("a data URL without a type, in an object", .jsonObject, .dataURL) { #"{"receipt":"data:,\#($0)"}"# },
        Wrapping("a bearer token", .bearer) { "Bearer \($0)" },
        Wrapping("a bearer token in small letters", .bearer) { "bearer  \($0)" },
        Wrapping("a field of a form", .form) { "receipt-data=\($0)" },
        Wrapping("a form", .form) { text in
            "password=abc&receipt-data=\(text.replacing("+", with: "%2B").replacing("/", with: "%2F").replacing("=", with: "%3D"))&n=1"
        },
        Wrapping("a printed dictionary of Swift", .printedObject) {
            #"["receipt-data": "\#($0)", "transactionId": "2000000123456789"]"#
        },
        Wrapping("a printed structure of Swift", .printedObject) {
            #"App.Purchase(jws: "\#($0)", ids: [1, 2], at: 2026-11-29 10:00:00 +0000)"#
        },
        Wrapping("a printed map of Dart", .printedObject) { "{receipt-data: \($0), transactionId: 2000000123456789}" },
        Wrapping("a printed object of Dart", .printedObject) {
            "PurchaseVerificationData(localVerificationData: \($0), serverVerificationData: \($0), source: app_store)"
        },
        Wrapping("a printed object of Kotlin", .printedObject) { "Purchase(jws=\($0), quantity=1)" },
        Wrapping("a byte order mark", .byteOrderMark) { "\u{FEFF}" + $0 },
        Wrapping("no-break spaces around", .invisibleCharacters) { "\u{A0}\($0)\u{202F}" },
        Wrapping("a zero-width space inside", .invisibleCharacters) { inserting("\u{200B}", into: $0) },
        Wrapping("a no-break space inside", .invisibleCharacters) { inserting("\u{A0}", into: $0) },
        Wrapping("a tab inside", .tabs) { inserting("\t", into: $0) },
        Wrapping("folded lines", .foldedLines) { inserting("\r\n ", into: $0) },
        Wrapping("lines that end with a space", .foldedLines) { inserting(" \n", into: $0) },
        Wrapping("all at once", .byteOrderMark, .percent, .jsonObject, .tabs) {
            "\u{FEFF}" + percent(#"{"a":"\#(inserting("\t", into: $0))"}"#)
        },
    ]

    private static func percent(_ text: String) -> String {
        text.utf8.map { byte in
            Character(Unicode.Scalar(byte)).isLetter ? String(Character(Unicode.Scalar(byte))) : "%" + hex(byte)
        }.joined()
    }

    private static func inserting(_ part: String, into text: String) -> String {
        let middle = text.index(text.startIndex, offsetBy: text.count / 2)
        return text[..<middle] + part + text[middle...]
    }

    private static func hex(_ byte: UInt8) -> String {
        (byte < 16 ? "0" : "") + String(byte, radix: 16)
    }
}
