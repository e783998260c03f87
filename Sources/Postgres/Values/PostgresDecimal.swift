// SPDX-License-Identifier: Apache-2.0

/// A `numeric`, exactly, as the server prints it.
///
/// Its binary form is a count of digits to the base 10,000, the weight of the first, a sign, the number of decimals to show, and
/// the digits (`numeric_send` in the server's source). Zeros at either end aren't sent.
package struct PostgresDecimal: Sendable, Hashable {
    /// `-12.50`, `NaN`, `Infinity` or `-Infinity`.
    package let text: String

    private static let digitsAtATime = 4
    private static let headerSize = 8

    /// - Returns: nil for bytes that no server sends.
    init?(_ bytes: UnsafeRawBufferPointer) {
        guard bytes.count >= Self.headerSize else { return nil }
        func field(_ index: Int) -> UInt16 {
            UInt16(bigEndian: bytes.loadUnaligned(fromByteOffset: 2 * index, as: UInt16.self))
        }
        let count = Int(field(0))
        let weight = Int(Int16(bitPattern: field(1)))
        let decimals = Int(field(3))
        let sign: String
        switch field(2) {
        case 0x0000: sign = ""
        case 0x4000: sign = "-"
        case 0xC000:
            self.init(text: "NaN")
            return
        case 0xD000:
            self.init(text: "Infinity")
            return
        case 0xF000:
            self.init(text: "-Infinity")
            return
        default: return nil
        }
        guard bytes.count == Self.headerSize + 2 * count else { return nil }
        let digits = (0..<count).map { Int(field(4 + $0)) }
        guard digits.allSatisfy({ $0 < 10_000 }) else { return nil }
        /// Four decimal digits, of the given power of 10,000.
        func group(_ power: Int) -> String {
            let index = weight - power
            let digit = digits.indices.contains(index) ? String(digits[index]) : "0"
            return String(repeating: "0", count: Self.digitsAtATime - digit.count) + digit
        }
        let whole = weight < 0 ? "0" : stride(from: weight, through: 0, by: -1).map(group).joined()
        let leadingZeros = whole.prefix { $0 == "0" }.count
        let groups = (decimals + Self.digitsAtATime - 1) / Self.digitsAtATime
        let fraction = (0..<groups).map { group(-1 - $0) }.joined().prefix(decimals)
        let number = whole.dropFirst(min(leadingZeros, whole.count - 1))
        self.init(text: sign + number + (fraction.isEmpty ? "" : "." + fraction))
    }

    private init(text: String) {
        self.text = text
    }
}

extension PostgresValue {
    /// The value as a number, if it is a `numeric`.
    var decimal: PostgresDecimal? {
        type == .numeric ? PostgresDecimal(bytes) : nil
    }
}

extension PostgresRow {
    /// Reads `numeric`.
    package func decimal(_ column: Int) throws(PostgresError) -> PostgresDecimal {
        guard let decimal = try value(column).decimal else { throw mismatch(column, "numeric") }
        return decimal
    }
}
