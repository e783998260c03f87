// SPDX-License-Identifier: Apache-2.0

/// The segments of a request's path, percent-decoded once: nothing behind this decodes again.
package struct RequestPath: Hashable, Sendable {
    private static let longest = 8192

    package let segments: [String]
    /// After the first `?`, as it was sent.
    package let query: Substring

    /// - Parameter target: of the request line, as it was sent.
    /// - Throws: `malformed_request` for a NUL, a wrong escape, or bytes that aren't UTF-8.
    package init(_ target: String) throws(Problem) {
        guard target.utf8.count <= Self.longest, target.first == "/" else {
            throw Problem(.malformedRequest, "the path is too long")
        }
        let parts = target.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        query = parts.count > 1 ? parts[1] : ""
        var segments: [String] = []
        for part in parts[0].dropFirst().split(separator: "/", omittingEmptySubsequences: false) {
            segments.append(try PercentDecoding.decode(part))
        }
        self.segments = segments
    }
}

/// Percent-decoding (RFC 3986, 2.1); `+` is itself.
enum PercentDecoding {
    static func decode(_ text: Substring) throws(Problem) -> String {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.utf8.count)
        var rest = text.utf8.makeIterator()
        while let byte = rest.next() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            guard let high = rest.next().flatMap(digit), let low = rest.next().flatMap(digit) else {
                throw Problem(.malformedRequest, "a percent sign is followed by two hexadecimal digits")
            }
            bytes.append(high << 4 | low)
        }
        guard !bytes.contains(0), let decoded = String(validating: bytes, as: UTF8.self) else {
            throw Problem(.malformedRequest, "a path or a query is UTF-8 without a NUL")
        }
        return decoded
    }

    private static func digit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}
