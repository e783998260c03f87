// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials

/// A moment as Apple writes it: whole milliseconds since 1970.
///
/// | Found in | Form |
/// |---|---|
/// | signed JSON, the App Store Server API | any JSON number, rounded down; fractions and exponents have been seen |
/// | verifyReceipt | text of digits |
/// | app receipts | text of RFC 3339, `2026-01-31T09:30:00Z` |
///
/// Moments outside the years 1970 to 9999 are refused: Apple has none there, and calendars overflow beyond.
struct AppleTime: Decodable, Hashable, Sendable {
    private static let end = 253_402_300_800_000.0

    let date: Date

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let number = try? container.decode(Double.self)
        guard let number, let moment = AppleTime(number) else {
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

    /// A moment in the form of Apple's requests: whole milliseconds since 1970, moved into the years above.
    static func milliseconds(of date: Date, _ rule: FloatingPointRoundingRule) -> Int64 {
        Int64(min(max(0, (date.timeIntervalSince1970 * 1000).rounded(rule)), end - 1))
    }
}

extension AppleTime {
    /// A moment as receipts write it; nil for anything else.
    ///
    /// RFC 3339 (section 5.6) allows fractions of a second, which are dropped, and an offset in place of `Z`. Foundation's
    /// own parser takes a hundred times as long, and a receipt may hold thousands of dates.
    init?(rfc3339 text: ArraySlice<UInt8>) {
        var reader = DigitReader(rest: text)
        guard let year = reader.number(4), reader.skip("-"), let month = reader.number(2), reader.skip("-"),
            let day = reader.number(2), reader.skip("T"), let hour = reader.number(2), reader.skip(":"),
            let minute = reader.number(2), reader.skip(":"), let second = reader.number(2),
            (1...12).contains(month), day >= 1, day <= Self.days(inMonth: month, of: year), hour < 24, minute < 60,
            // 60 is a leap second.
            second <= 60
        else { return nil }
        if reader.skip(".") {
            guard reader.number(1) != nil else { return nil }
            reader.skipDigits()
        }
        guard let offset = reader.offset(), reader.isAtEnd else { return nil }
        let days = Self.daysSince1970(year: year, month: month, day: day)
        self.init(Double((days * 86_400 + hour * 3600 + minute * 60 + second - offset) * 1000))
    }

    private static func isLeap(_ year: Int) -> Bool {
        year.isMultiple(of: 4) && (!year.isMultiple(of: 100) || year.isMultiple(of: 400))
    }

    private static func days(inMonth month: Int, of year: Int) -> Int {
        switch month {
        case 2: isLeap(year) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }

    /// Days from 1 January 1970 in the Gregorian calendar, counted in years that begin on 1 March, so that the leap day
    /// is a year's last.
    static func daysSince1970(year: Int, month: Int, day: Int) -> Int {
        let marchYear = month > 2 ? year : year - 1
        let marchMonth = (month + 9) % 12
        let leapDays = marchYear / 4 - marchYear / 100 + marchYear / 400
        return marchYear * 365 + leapDays + (153 * marchMonth + 2) / 5 + day - 719_469
    }
}

/// Takes numbers of a fixed width and separators off the front of text.
private struct DigitReader {
    var rest: ArraySlice<UInt8>

    var isAtEnd: Bool { rest.isEmpty }

    mutating func number(_ width: Int) -> Int? {
        let digits = rest.prefix(width)
        guard digits.count == width, digits.allSatisfy(\.isDigit) else { return nil }
        rest = rest.dropFirst(width)
        return digits.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
    }

    mutating func skip(_ separator: Unicode.Scalar) -> Bool {
        guard rest.first == UInt8(ascii: separator) else { return false }
        rest = rest.dropFirst()
        return true
    }

    mutating func skipDigits() {
        rest = rest.drop(while: \.isDigit)
    }

    /// Seconds east of UTC; nil when neither `Z` nor a numeric offset stands here.
    mutating func offset() -> Int? {
        if skip("Z") { return 0 }
        let sign = skip("+") ? 1 : skip("-") ? -1 : 0
        guard sign != 0, let hours = number(2), skip(":"), let minutes = number(2), hours < 24, minutes < 60
        else { return nil }
        return sign * (hours * 3600 + minutes * 60)
    }
}
