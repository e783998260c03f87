// SPDX-License-Identifier: Apache-2.0

package import FoundationEssentials

/// A moment as `timestamptz` holds it: whole microseconds, and the two infinities.
package struct PostgresTimestamp: Sendable, Hashable, Comparable {
    /// Since 1970-01-01 00:00 UTC; the ends of the range stand for the infinities.
    package var microsecondsSince1970: Int64

    /// PostgreSQL's `-infinity`.
    package static let distantPast = PostgresTimestamp(microsecondsSince1970: .min)
    /// PostgreSQL's `infinity`.
    package static let distantFuture = PostgresTimestamp(microsecondsSince1970: .max)

    /// From 1970-01-01 to 2000-01-01, where PostgreSQL counts from.
    private static let epochDifference: Int64 = 946_684_800_000_000

    package init(microsecondsSince1970: Int64) {
        self.microsecondsSince1970 = microsecondsSince1970
    }

    /// The microsecond nearest to `date`; what is out of range becomes an infinity.
    package init(_ date: Date) {
        let microseconds = (date.timeIntervalSince1970 * 1_000_000).rounded()
        microsecondsSince1970 = Int64(exactly: microseconds) ?? (microseconds < 0 ? .min : .max)
    }

    /// The infinities become `Date.distantPast` and `Date.distantFuture`.
    ///
    /// A `Date` counts in floating point from 2001: for dates of this century it is exact to a microsecond.
    package var date: Date {
        switch self {
        case .distantPast: .distantPast
        case .distantFuture: .distantFuture
        default: Date(timeIntervalSince1970: Double(microsecondsSince1970) / 1_000_000)
        }
    }

    /// The server's binary form: microseconds since 2000, the infinities at the ends.
    var wireValue: Int64 {
        switch self {
        case .distantPast: return .min
        case .distantFuture: return .max
        default:
            let (value, overflow) = microsecondsSince1970.subtractingReportingOverflow(Self.epochDifference)
            // So long ago that the server refuses it (22008); only it must not turn into an infinity.
            return overflow ? .min + 1 : value
        }
    }

    init(wireValue: Int64) {
        switch wireValue {
        case .min: self = .distantPast
        case .max: self = .distantFuture
        default:
            let (value, overflow) = wireValue.addingReportingOverflow(Self.epochDifference)
            // The server's last 29 years, from 294247 on, are one moment here.
            self.init(microsecondsSince1970: overflow ? .max - 1 : value)
        }
    }

    package static func < (left: PostgresTimestamp, right: PostgresTimestamp) -> Bool {
        left.microsecondsSince1970 < right.microsecondsSince1970
    }
}

extension PostgresTimestamp: CustomStringConvertible {
    /// As `psql` prints it in UTC: `2026-03-01 09:30:00.25+00`, `infinity`.
    package var description: String {
        switch self {
        case .distantPast: return "-infinity"
        case .distantFuture: return "infinity"
        default: break
        }
        let (days, timeOfDay) = microsecondsSince1970.quotientAndModulus(dividingBy: 86_400_000_000)
        let (year, month, day) = Self.civilDate(daysSince1970: days)
        let seconds = timeOfDay / 1_000_000
        let isBeforeChrist = year <= 0
        var text = Self.padded(isBeforeChrist ? 1 - year : year, to: 4)
        text += "-" + Self.padded(month, to: 2) + "-" + Self.padded(day, to: 2)
        text += " " + Self.padded(seconds / 3600, to: 2)
        text += ":" + Self.padded(seconds / 60 % 60, to: 2) + ":" + Self.padded(seconds % 60, to: 2)
        var fraction = timeOfDay % 1_000_000
        if fraction > 0 {
            var digits = 6
            while fraction % 10 == 0 {
                fraction /= 10
                digits -= 1
            }
            text += "." + Self.padded(fraction, to: digits)
        }
        return text + (isBeforeChrist ? "+00 BC" : "+00")
    }

    /// The proleptic Gregorian date, counted in eras of 400 years of 146,097 days that begin on the first of March, so
    /// that the day that comes and goes is a year's last.
    private static func civilDate(daysSince1970: Int64) -> (year: Int64, month: Int64, day: Int64) {
        let (era, dayOfEra) = (daysSince1970 + 719_468).quotientAndModulus(dividingBy: 146_097)
        let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let monthFromMarch = (5 * dayOfYear + 2) / 153
        let day = dayOfYear - (153 * monthFromMarch + 2) / 5 + 1
        let month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
        return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, day)
    }

    private static func padded(_ number: Int64, to width: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, width - digits.utf8.count)) + digits
    }
}

extension Int64 {
    /// Division that rounds down, so that the remainder is never negative.
    fileprivate func quotientAndModulus(dividingBy divisor: Int64) -> (Int64, Int64) {
        let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
    }
}
