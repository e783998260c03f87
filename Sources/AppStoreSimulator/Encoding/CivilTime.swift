// SPDX-License-Identifier: Apache-2.0

/// A date and a time of day in the Gregorian calendar, in UTC or at a fixed distance from it.
///
/// The days are counted by the usual arithmetic over eras of 400 years that begin on 1 March, so that nothing here
/// needs a calendar or a time zone database.
struct CivilTime: Equatable {
    var year: Int
    var month: Int
    var day: Int
    var hour: Int
    var minute: Int
    var second: Int
}

extension CivilTime {
    /// The fields of a moment, given in seconds since 1970.
    init(secondsSince1970: Int) {
        let days = secondsSince1970.flooredQuotient(by: 86_400)
        let secondOfDay = secondsSince1970 - days * 86_400
        let shifted = days + 719_468
        let era = shifted.flooredQuotient(by: 146_097)
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let monthFromMarch = (5 * dayOfYear + 2) / 153
        day = dayOfYear - (153 * monthFromMarch + 2) / 5 + 1
        month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
        year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
        hour = secondOfDay / 3600
        minute = secondOfDay / 60 % 60
        second = secondOfDay % 60
    }

    /// An RFC 3339 time such as `2026-01-31T09:30:00Z`, with or without a fraction, which is dropped; nil for any other
    /// text. A numeric offset is taken off, so that the fields are always in UTC.
    init?(rfc3339 text: some Sequence<UInt8>) {
        var reader = DigitReader(text)
        guard let year = reader.number(4), reader.skip("-"), let month = reader.number(2), reader.skip("-"),
            let day = reader.number(2), reader.skip("T"), let hour = reader.number(2), reader.skip(":"),
            let minute = reader.number(2), reader.skip(":"), let second = reader.number(2)
        else { return nil }
        guard (1...12).contains(month), (1...31).contains(day), hour < 24, minute < 60, second < 61 else { return nil }
        if reader.skip(".") { reader.skipDigits() }
        guard let offset = reader.offset(), reader.isAtEnd else { return nil }

        let local = CivilTime(year: year, month: month, day: day, hour: hour, minute: minute, second: second)
        self.init(secondsSince1970: local.secondsSince1970 - offset)
    }

    var secondsSince1970: Int {
        let shiftedYear = month <= 2 ? year - 1 : year
        let era = shiftedYear.flooredQuotient(by: 400)
        let yearOfEra = shiftedYear - era * 400
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        let days = era * 146_097 + dayOfEra - 719_468
        return days * 86_400 + hour * 3600 + minute * 60 + second
    }

    /// `2026-01-31`, the separator, `09:30:00`, and the suffix.
    func text(separator: Unicode.Scalar, suffix: String) -> String {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(19 + suffix.utf8.count)
        append(year, digits: 4, to: &bytes)
        bytes.append(UInt8(ascii: "-"))
        append(month, digits: 2, to: &bytes)
        bytes.append(UInt8(ascii: "-"))
        append(day, digits: 2, to: &bytes)
        bytes.append(UInt8(ascii: separator))
        append(hour, digits: 2, to: &bytes)
        bytes.append(UInt8(ascii: ":"))
        append(minute, digits: 2, to: &bytes)
        bytes.append(UInt8(ascii: ":"))
        append(second, digits: 2, to: &bytes)
        bytes.append(contentsOf: suffix.utf8)
        return String(decoding: bytes, as: UTF8.self)
    }

    private func append(_ number: Int, digits: Int, to bytes: inout [UInt8]) {
        var divisor = digits == 4 ? 1000 : 10
        while divisor > 0 {
            bytes.append(UInt8(ascii: "0") + UInt8(number / divisor % 10))
            divisor /= 10
        }
    }
}

extension CivilTime {
    /// Reads numbers of a fixed width and separators from text.
    private struct DigitReader<Text: Sequence<UInt8>> {
        private var iterator: Text.Iterator
        private var next: UInt8?

        init(_ text: Text) {
            iterator = text.makeIterator()
            next = iterator.next()
        }

        var isAtEnd: Bool { next == nil }

        mutating func number(_ width: Int) -> Int? {
            var value = 0
            for _ in 0..<width {
                guard let digit = next, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(digit) else { return nil }
                value = value * 10 + Int(digit - UInt8(ascii: "0"))
                next = iterator.next()
            }
            return value
        }

        mutating func skip(_ separator: Unicode.Scalar) -> Bool {
            guard next == UInt8(ascii: separator) else { return false }
            next = iterator.next()
            return true
        }

        mutating func skipDigits() {
            while number(1) != nil {}
        }

        /// Seconds east of UTC; nil when neither `Z` nor a numeric offset stands here.
        mutating func offset() -> Int? {
            if skip("Z") { return 0 }
            let sign = skip("+") ? 1 : skip("-") ? -1 : 0
            guard sign != 0, let hours = number(2), skip(":"), let minutes = number(2) else { return nil }
            return sign * (hours * 3600 + minutes * 60)
        }
    }
}

extension Int {
    /// The quotient rounded down, also below zero.
    fileprivate func flooredQuotient(by divisor: Int) -> Int {
        let quotient = self / divisor
        return self % divisor < 0 ? quotient - 1 : quotient
    }
}
