// SPDX-License-Identifier: Apache-2.0

import Testing

/// Input at the limits of size, made to cost as much as it can.
struct LargeInput: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let bytes: [UInt8]

    private init(_ name: String, _ text: String) {
        testDescription = name
        bytes = Array(text.utf8)
    }

    private init(_ name: String, repeating part: String, upTo size: Int, after head: String = "", tail: String = "") {
        self.init(name, head + String(repeating: part, count: size / part.utf8.count) + tail)
    }

    private static let mebibyte = 1 << 20

    /// For text that clients hand over.
    static let proofs = [
        LargeInput("digits", repeating: "7", upTo: 4 * mebibyte),
        LargeInput("white space", repeating: " ", upTo: 4 * mebibyte),
        LargeInput("line ends", repeating: "\r\n", upTo: 4 * mebibyte - 4, after: "MIIA"),
        LargeInput("spaces in base64", repeating: "A ", upTo: 4 * mebibyte - 4, after: "MIIA"),
        LargeInput("spaces behind base64", repeating: " ", upTo: 4 * mebibyte - 8, after: "MIIA A"),
        LargeInput("zeros in base64", repeating: "A", upTo: 4 * mebibyte - 4, after: "MIIA"),
        LargeInput("base64 of base64", repeating: "TUlJ", upTo: 4 * mebibyte),
        LargeInput("padding", repeating: "=", upTo: 4 * mebibyte - 4, after: "MIIA"),
        LargeInput("dots", repeating: ".", upTo: 4 * mebibyte - 4, after: "eyJ"),
        LargeInput("parts", repeating: "eyJ.", upTo: 64 * 1024),
        LargeInput("iOS 6 style receipt without an end", repeating: "ICAg", upTo: 4 * mebibyte - 8, after: "ewoJ"),
        LargeInput("beginnings of a key", repeating: "InB1cmNoYXNlLWlu", upTo: 4 * mebibyte - 16, after: "ewoicHVy"),
        LargeInput("arrays of JSON", repeating: "[", upTo: 4 * mebibyte),
        LargeInput("objects of JSON", repeating: #"{"a":"#, upTo: 4 * mebibyte),
        LargeInput("fields of JSON", repeating: #""a":"b","#, upTo: 4 * mebibyte - 16, after: "{", tail: #""a":0}"#),
        LargeInput("elements of JSON", repeating: #"["1"],"#, upTo: 4 * mebibyte - 16, after: "[", tail: "0]"),
        LargeInput("escapes of JSON", repeating: #"\u0041"#, upTo: 4 * mebibyte - 16, after: #"""#, tail: #"""#),
        LargeInput("backslashes", repeating: #"\\"#, upTo: 4 * mebibyte),
        LargeInput("percent codes", repeating: "%25", upTo: 4 * mebibyte),
        LargeInput("percent codes of percent codes", repeating: "%252525", upTo: 4 * mebibyte),
        LargeInput("character references", repeating: "&#38;", upTo: 4 * mebibyte),
        LargeInput("hex", repeating: "5c", upTo: 4 * mebibyte - 2, after: #"\x"#),
        LargeInput("zero-width spaces", repeating: "\u{200B}", upTo: 4 * mebibyte),
        LargeInput("folded lines", repeating: "AAA\n ", upTo: 4 * mebibyte - 4, after: "MIIA"),
        LargeInput("folded lines of a transaction", repeating: "A\n ", upTo: 4 * mebibyte - 8, after: "eyJ."),
        LargeInput("tabs", repeating: "\t", upTo: 4 * mebibyte - 8, after: "MIIA", tail: "AAAA"),
        LargeInput("wide letters", repeating: "\u{1F4B0}", upTo: 4 * mebibyte),
    ]

    /// For JSON, of which answers may have several megabytes.
    static let json = [
        LargeInput("arrays in arrays", repeating: "[", upTo: mebibyte),
        LargeInput("objects in objects", repeating: #"{"receipt":"#, upTo: mebibyte),
        LargeInput("arrays in entries", repeating: "[", upTo: mebibyte, after: #"{"status":0,"latest_receipt_info":"#),
        LargeInput("one field again", repeating: #""status":0,"#, upTo: mebibyte, after: "{", tail: #""a":0}"#),
        LargeInput(
            "many fields", "{" + (0..<60_000).map { #""field\#($0)":0"# }.joined(separator: ",") + #","status":0}"#),
        LargeInput(
            "empty entries", repeating: "{},", upTo: mebibyte,
            after: #"{"status":0,"receipt":{"bundle_id":"a","in_app":["#, tail: "{}]}}"),
        LargeInput(
            "entries of one transaction", repeating: #"{"transaction_id":"1"},"#, upTo: mebibyte,
            after: #"{"status":0,"receipt":{"bundle_id":"a","in_app":["#, tail: "{}]}}"),
        LargeInput("digits of a status", repeating: "1", upTo: mebibyte, after: #"{"status":"#, tail: "}"),
        LargeInput("digits behind a point", repeating: "1", upTo: mebibyte, after: #"{"signedDate":0."#, tail: "}"),
        LargeInput("digits of an exponent", repeating: "9", upTo: mebibyte, after: #"{"status":1e"#, tail: "}"),
        LargeInput("escapes", repeating: #"\u0000"#, upTo: mebibyte, after: #"{"transactionId":""#, tail: #""}"#),
        LargeInput("backslashes", repeating: #"\\"#, upTo: mebibyte, after: #"{"transactionId":""#, tail: #""}"#),
        LargeInput("white space", repeating: " ", upTo: mebibyte, after: "{"),
    ]
}
