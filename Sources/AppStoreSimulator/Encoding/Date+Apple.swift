// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials

/// The forms in which Apple writes a moment.
extension Date {
    /// The moment of an RFC 3339 text, to the second; nil when the text is none.
    init?(rfc3339 text: some Sequence<UInt8>) {
        guard let civil = CivilTime(rfc3339: text) else { return nil }
        self.init(timeIntervalSince1970: Double(civil.secondsSince1970))
    }

    /// Whole milliseconds since 1970, as in signed payloads and in every `_ms` field.
    var milliseconds: Int64 {
        Int64((timeIntervalSince1970 * 1000).rounded())
    }

    /// As inside app receipts: `2026-01-31T09:30:00Z`.
    var receiptText: String {
        CivilTime(secondsSince1970: wholeSeconds).text(separator: "T", suffix: "Z")
    }

    /// As in verifyReceipt's plain date fields: `2026-01-31 09:30:00 Etc/GMT`.
    var greenwichText: String {
        CivilTime(secondsSince1970: wholeSeconds).text(separator: " ", suffix: " Etc/GMT")
    }

    /// As in verifyReceipt's `_pst` fields, summer time or not: `2026-01-31 01:30:00 America/Los_Angeles`.
    var pacificText: String {
        let offset = Self.pacificOffset(at: wholeSeconds)
        return CivilTime(secondsSince1970: wholeSeconds + offset).text(separator: " ", suffix: " America/Los_Angeles")
    }

    private var wholeSeconds: Int {
        Int(timeIntervalSince1970.rounded(.down))
    }

    /// Seconds east of UTC on the Pacific coast, by the rule in force since 2007: summer time from 10:00 UTC on the
    /// second Sunday of March to 09:00 UTC on the first Sunday of November. No receipt is older than that rule.
    private static func pacificOffset(at seconds: Int) -> Int {
        let year = CivilTime(secondsSince1970: seconds).year
        let begin = firstSunday(year: year, month: 3, hour: 10) + 7 * 86_400
        let end = firstSunday(year: year, month: 11, hour: 9)
        return (begin..<end).contains(seconds) ? -7 * 3600 : -8 * 3600
    }

    private static func firstSunday(year: Int, month: Int, hour: Int) -> Int {
        let first = CivilTime(year: year, month: month, day: 1, hour: hour, minute: 0, second: 0).secondsSince1970
        // 1 January 1970 was a Thursday, so this is 0 on Sundays.
        let dayOfWeek = (first / 86_400 + 4) % 7
        return first + (7 - dayOfWeek) % 7 * 86_400
    }
}
