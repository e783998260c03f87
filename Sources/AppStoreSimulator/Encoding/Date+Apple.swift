// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials

/// The forms in which Apple writes a moment.
extension Date {
    private static let plain = ISO8601FormatStyle(dateTimeSeparator: .space, timeZone: .gmt)

    private static let greenwich: Calendar = {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = .gmt
        return calendar
    }()

    /// The moment of an RFC 3339 text, to the second; nil when the text doesn't begin with one.
    init?(rfc3339 text: String) {
        guard let date = try? Date(text, strategy: .iso8601) else { return nil }
        self.init(timeIntervalSince1970: date.timeIntervalSince1970.rounded(.down))
    }

    /// Whole milliseconds since 1970, as in signed payloads and in every `_ms` field.
    var milliseconds: Int64 {
        Int64((timeIntervalSince1970 * 1000).rounded())
    }

    /// As inside app receipts: `2026-01-31T09:30:00Z`.
    var receiptText: String {
        formatted(.iso8601)
    }

    /// As in verifyReceipt's plain date fields: `2026-01-31 09:30:00 Etc/GMT`.
    var greenwichText: String {
        Self.plain.format(self).dropLast() + " Etc/GMT"
    }

    /// As in verifyReceipt's `_pst` fields, summer time or not: `2026-01-31 01:30:00 America/Los_Angeles`.
    var pacificText: String {
        Self.plain.format(addingTimeInterval(isInPacificSummer ? -7 * 3600 : -8 * 3600)).dropLast() + " America/Los_Angeles"
    }

    /// By the rule in force since 2007: from 10:00 UTC on the second Sunday of March to 09:00 UTC on the first Sunday of November.
    /// No receipt is older than that rule, and a database of time zones may be missing.
    private var isInPacificSummer: Bool {
        let year = Self.greenwich.component(.year, from: self)
        func sunday(_ number: Int, month: Int, hour: Int) -> Date? {
            Self.greenwich.date(from: DateComponents(year: year, month: month, hour: hour, weekday: 1, weekdayOrdinal: number))
        }
        guard let begin = sunday(2, month: 3, hour: 10), let end = sunday(1, month: 11, hour: 9) else { return false }
        return (begin..<end).contains(self)
    }
}
