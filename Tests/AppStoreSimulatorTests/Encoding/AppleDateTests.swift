// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Testing

@testable import AppStoreSimulator

@Suite struct AppleDateTests {
    @Test(arguments: [
        (0, "1970-01-01 00:00:00 Etc/GMT", "1969-12-31 16:00:00 America/Los_Angeles"),
        (1_766_773_187, "2025-12-26 18:19:47 Etc/GMT", "2025-12-26 10:19:47 America/Los_Angeles"),
        (1_709_208_000, "2024-02-29 12:00:00 Etc/GMT", "2024-02-29 04:00:00 America/Los_Angeles"),
        (1_752_595_200, "2025-07-15 16:00:00 Etc/GMT", "2025-07-15 09:00:00 America/Los_Angeles"),
        // Summer time begins on the second Sunday of March at 10:00 UTC …
        (1_741_514_399, "2025-03-09 09:59:59 Etc/GMT", "2025-03-09 01:59:59 America/Los_Angeles"),
        (1_741_514_400, "2025-03-09 10:00:00 Etc/GMT", "2025-03-09 03:00:00 America/Los_Angeles"),
        // … and ends on the first Sunday of November at 09:00 UTC.
        (1_762_073_999, "2025-11-02 08:59:59 Etc/GMT", "2025-11-02 01:59:59 America/Los_Angeles"),
        (1_762_074_000, "2025-11-02 09:00:00 Etc/GMT", "2025-11-02 01:00:00 America/Los_Angeles"),
        // A March and a November that begin with a Sunday.
        (1_772_964_000, "2026-03-08 10:00:00 Etc/GMT", "2026-03-08 03:00:00 America/Los_Angeles"),
        (1_793_523_600, "2026-11-01 09:00:00 Etc/GMT", "2026-11-01 01:00:00 America/Los_Angeles"),
    ])
    func momentIsWrittenInBothZones(_ seconds: Int, _ greenwich: String, _ pacific: String) {
        let date = Date(timeIntervalSince1970: Double(seconds))

        #expect(date.greenwichText == greenwich)
        #expect(date.pacificText == pacific)
        #expect(date.milliseconds == Int64(seconds) * 1000)
    }

    @Test(arguments: [
        ("2025-12-26T18:19:47Z", 1_766_773_187),
        ("2025-12-26T18:19:47.999Z", 1_766_773_187),
        ("2025-12-26T10:19:47-08:00", 1_766_773_187),
        ("2025-12-26T23:49:47+05:30", 1_766_773_187),
        ("1970-01-01T00:00:00Z", 0),
        ("1969-12-31T23:59:59Z", -1),
    ])
    func receiptDatesAreUnderstood(_ text: String, _ seconds: Int) {
        #expect(Date(rfc3339: text) == Date(timeIntervalSince1970: Double(seconds)))
    }

    @Test(arguments: [
        "", "2025-12-26", "2025-12-26T18:19:47", "2025-13-26T18:19:47Z", "2025-12-26 18:19:47Z",
    ])
    func otherTextsAreNoDates(_ text: String) {
        #expect(Date(rfc3339: text) == nil)
    }
}
