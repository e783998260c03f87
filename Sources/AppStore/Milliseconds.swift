// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials

/// Apple's time: whole milliseconds since 1970.
///
/// Read from any JSON number, rounded down, because some signers write fractions and some writers exponents; and from
/// text of digits, which is how verifyReceipt writes it. Moments outside the years 1970 to 9999 are refused: nothing of
/// Apple's lies there, and calendars beyond overflow.
struct Milliseconds: Decodable, Hashable, Sendable {
    private static let end = 253_402_300_800_000.0

    let date: Date

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let number = try? container.decode(Double.self)
        guard let number, let moment = Milliseconds(number) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "not a moment in milliseconds")
        }
        self = moment
    }

    /// A moment written as digits; nil for anything else, the empty text included.
    init?(digits text: String) {
        guard !text.isEmpty, text.utf8.count <= 15, text.utf8.allSatisfy(\.isDigit), let number = Double(text)
        else { return nil }
        self.init(number)
    }

    /// A number of milliseconds; nil outside those years.
    init?(_ number: Double) {
        let whole = number.rounded(.down)
        guard whole >= 0, whole < Self.end else { return nil }
        date = Date(timeIntervalSince1970: whole / 1000)
    }
}
