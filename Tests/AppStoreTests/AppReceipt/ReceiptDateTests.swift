// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Testing

@testable import AppStore

@Suite
struct ReceiptDateTests {
    private static func seconds(_ text: String) -> Double? {
        AppleTime(rfc3339: Array(text.utf8)[...])?.date.timeIntervalSince1970
    }

    @Test(
        arguments: [
            ("1970-01-01T00:00:00Z", 0), ("2000-02-29T12:00:00Z", 951_825_600), ("2026-01-31T09:30:00Z", 1_769_851_800),
            ("2026-01-31T09:30:00.999Z", 1_769_851_800), ("2026-01-31T10:30:00+01:00", 1_769_851_800),
            ("2026-01-31T01:30:00-08:00", 1_769_851_800), ("2016-12-31T23:59:60Z", 1_483_228_800),
            ("9999-12-31T23:59:59Z", 253_402_300_799),
        ] as [(String, Double)])
    func momentIsRead(text: String, seconds: Double) {
        #expect(Self.seconds(text) == seconds)
    }

    @Test(arguments: [
        "", "2026-01-31", "2026-01-31T09:30:00", "2026-01-31 09:30:00Z", "2026-1-31T09:30:00Z", "2026-00-31T09:30:00Z",
        "2026-13-31T09:30:00Z", "2026-01-00T09:30:00Z", "2026-01-32T09:30:00Z", "2026-02-29T09:30:00Z",
        "1900-02-29T09:30:00Z", "2026-04-31T09:30:00Z", "2026-01-31T24:00:00Z", "2026-01-31T09:60:00Z",
        "2026-01-31T09:30:61Z", "2026-01-31T09:30:00.Z", "2026-01-31T09:30:00ZZ", "2026-01-31T09:30:00+1:00",
        "2026-01-31T09:30:00+24:00", "1969-12-31T23:59:59Z", "1601-01-01T00:00:00Z", "now", "２０２６-01-31T09:30:00Z",
    ])
    func whatIsNoMomentIsNone(text: String) {
        #expect(Self.seconds(text) == nil)
    }

    @Test
    func everyDayOfACenturyAgreesWithFoundation() {
        var differing: [String] = []

        for day in 0..<36_525 {
            let date = Date(timeIntervalSince1970: Double(day) * 86_400 + 45_296)
            let text = date.formatted(.iso8601)
            if Self.seconds(text) != date.timeIntervalSince1970 { differing.append(text) }
        }

        #expect(differing == [])
    }
}
