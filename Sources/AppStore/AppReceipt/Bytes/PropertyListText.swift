// SPDX-License-Identifier: Apache-2.0

/// The old text form of property lists, as far as receipts use it: one flat dictionary of quoted texts,
/// `{ "name" = "value"; … }`.
enum PropertyListText {
    /// The fields of a dictionary; nil when it is anything else, has more than `limit` fields, or one name twice: other readers may
    /// take the one that we don't.
    ///
    /// White space is free. No text has a quote or a backslash in it, so that there is nothing to unescape; the last semicolon may be
    /// missing.
    static func fields(of text: ArraySlice<UInt8>, limit: Int) -> [String: String]? {
        var scanner = Scanner(rest: text)
        guard scanner.skip("{") else { return nil }
        var fields: [String: String] = [:]
        while !scanner.skip("}") {
            guard fields.count < limit, let name = scanner.quoted(), scanner.skip("="), let value = scanner.quoted(),
                scanner.skip(";") || scanner.isBefore("}"), fields.updateValue(value, forKey: name) == nil
            else { return nil }
        }
        scanner.skipWhitespace()
        return scanner.rest.isEmpty ? fields : nil
    }

    /// Takes one token after another off the text, with the white space before it.
    private struct Scanner {
        var rest: ArraySlice<UInt8>

        mutating func skipWhitespace() {
            rest = rest.drop(while: \.isWhitespace)
        }

        mutating func isBefore(_ token: Unicode.Scalar) -> Bool {
            skipWhitespace()
            return rest.first == UInt8(ascii: token)
        }

        mutating func skip(_ token: Unicode.Scalar) -> Bool {
            guard isBefore(token) else { return false }
            rest = rest.dropFirst()
            return true
        }

        mutating func quoted() -> String? {
            guard skip("\""), let end = rest.firstIndex(of: UInt8(ascii: "\"")) else { return nil }
            let text = rest[..<end]
            rest = rest[(end + 1)...]
            guard !text.contains(UInt8(ascii: "\\")) else { return nil }
            return String(validating: text, as: UTF8.self)
        }
    }
}
