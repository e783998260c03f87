// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Testing

@testable import AppStore

@Suite
struct RetryAfterTests {
    /// 2026-01-31T09:00:00Z.
    private let now = Date(timeIntervalSince1970: 1_769_850_000)

    @Test(arguments: [
        ("0", 0), ("1", 1), (" 120 ", 120), ("3600", 3600),
        ("3601", 3600), ("999999999", 3600),
        ("1769850030", 30), ("1769849000", 0), ("999999999999", 3600),
        ("1769850090000", 90), ("1769840000000", 0), ("999999999999999999", 3600),
        ("Sat, 31 Jan 2026 09:01:00 GMT", 60), ("Sat, 31 Jan 2026 08:59:00 GMT", 0),
        ("Thu, 29 Feb 2024 00:00:00 GMT", 0),
        ("Sun, 01 Feb 2026 00:00:00 GMT", 3600),
    ])
    func everyFormIsAWaitOfAtMostAnHour(header: String, seconds: Int) {
        #expect(RetryAfter.delay(header, now: now) == .seconds(seconds))
    }

    @Test(arguments: [
        "", "soon", "-5", "1.5", "12 s", "1234567890123456789", "Sat, 31 Jan 2026 09:01:00",
        "Sat, 31 Foo 2026 09:01:00 GMT",
        "Sat, 31 Jan 2026 25:01:00 GMT", "Sat, 99 Jan 2026 09:01:00 GMT", "Sat, 31 Jan 2026 09:01 GMT",
    ])
    func whatCannotBeReadIsNoWait(header: String) {
        #expect(RetryAfter.delay(header, now: now) == nil)
    }

    @Test
    func datesAreOfTheGregorianCalendar() {
        let dates = [
            ("Thu, 01 Jan 1970 00:00:00 GMT", 0.0), ("Sun, 06 Nov 1994 08:49:37 GMT", 784_111_777),
            ("Tue, 29 Feb 2000 12:00:00 GMT", 951_825_600), ("Mon, 31 Dec 2040 23:59:59 GMT", 2_240_611_199),
        ]
        for (header, moment) in dates {
            let before = Date(timeIntervalSince1970: moment - 10)

            #expect(RetryAfter.delay(header, now: before) == .seconds(10), "\(header)")
        }
    }
}
