// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Postgres
import Testing

@Suite struct PostgresTimestampTests {
    @Test(arguments: [
        (Int64(0), "1970-01-01 00:00:00+00"),
        (946_684_800_000_000, "2000-01-01 00:00:00+00"),
        (951_782_399_999_999, "2000-02-28 23:59:59.999999+00"),
        (951_782_400_000_000, "2000-02-29 00:00:00+00"),
        (951_868_800_000_000, "2000-03-01 00:00:00+00"),
        (-1, "1969-12-31 23:59:59.999999+00"),
        (1_767_225_599_250_000, "2025-12-31 23:59:59.25+00"),
        (-62_135_596_800_000_000, "0001-01-01 00:00:00+00"),
        (-62_135_596_800_000_001, "0001-12-31 23:59:59.999999+00 BC"),
        (253_402_300_800_000_000, "10000-01-01 00:00:00+00"),
        (.max, "infinity"),
        (.min, "-infinity"),
    ])
    func descriptionIsThatOfTheServerInUTC(microseconds: Int64, text: String) {
        #expect(PostgresTimestamp(microsecondsSince1970: microseconds).description == text)
    }

    @Test func datesOfThisCenturyKeepTheirMicroseconds() {
        let timestamp = PostgresTimestamp(microsecondsSince1970: 1_767_225_599_123_456)

        #expect(PostgresTimestamp(timestamp.date) == timestamp)
    }

    @Test func infinitiesAreTheDistantDates() {
        #expect(PostgresTimestamp.distantFuture.date == .distantFuture)
        #expect(PostgresTimestamp.distantPast.date == .distantPast)
        #expect(PostgresTimestamp(Date(timeIntervalSince1970: .infinity)) == .distantFuture)
        #expect(PostgresTimestamp(Date(timeIntervalSince1970: -1e300)) == .distantPast)
    }

    @Test func timestampsAreOrdered() {
        let timestamp = PostgresTimestamp(microsecondsSince1970: 0)

        #expect(PostgresTimestamp.distantPast < timestamp)
        #expect(timestamp < .distantFuture)
        #expect(timestamp < PostgresTimestamp(microsecondsSince1970: 1))
    }
}
