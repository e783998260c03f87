// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Testing

@testable import counterfoil_bench

@Suite struct ClaimTimesTests {
    private static let fault = Date(timeIntervalSince1970: 1_000)...Date(timeIntervalSince1970: 2_000)

    /// A line of the server's log, so many seconds after 1970.
    private static func line(_ second: Int, _ milliseconds: String, statement: String = "execute claim_jobs") -> String {
        let time = Date(timeIntervalSince1970: Double(second)).formatted(
            Date.ISO8601FormatStyle(dateTimeSeparator: .space, includingFractionalSeconds: true)).dropLast()
        return "\(time) UTC [42] LOG:  duration: \(milliseconds) ms  \(statement): -- Leases available jobs\n"
            + "\tselect 1\n"
    }

    private static func times(_ lines: String...) -> ClaimTimes {
        ClaimTimes(log: lines.joined(), fault: fault)
    }

    @Test func aClaimCountsInTheWindowOfItsEnd() {
        let times = Self.times(Self.line(999, "1.5"), Self.line(1_500, "2.25"), Self.line(2_001, "4"))

        #expect(times[.before].median == 1.5)
        #expect(times[.during].median == 2.25)
        #expect(times[.after].median == 4)
    }

    @Test(arguments: ["bind claim_jobs", "execute settle_orders", "statement"])
    func whatIsNotTheExecutionOfAClaimDoesNotCount(statement: String) {
        let times = Self.times(Self.line(1_500, "2", statement: statement), "2026-11-21 execute claim_jobs without a time\n")

        #expect(ClaimTimes.Window.allCases.allSatisfy { times[$0].count == 0 })
        #expect(times.lines == [])
    }

    @Test func claimsUnderTheLimitAreNoComplaint() {
        let log = String(repeating: Self.line(1_500, "49.9"), count: 100)

        #expect(ClaimTimes(log: log, fault: Self.fault).complaints(ClaimTarget(window: .during)) == [])
    }

    @Test func twoSlowClaimsOfAHundredAreAComplaint() {
        let log = String(repeating: Self.line(1_500, "1"), count: 98) + String(repeating: Self.line(1_500, "51"), count: 2)
        let times = ClaimTimes(log: log, fault: Self.fault)

        #expect(times.complaints(ClaimTarget(window: .during)).count == 1)
        #expect(times.lines == ["claims during: 100, median 1.0 ms, 99 of 100 under 51.0 ms, worst 51.0 ms"])
    }

    @Test func fewerClaimsThanAHundredShowNothing() {
        let log = String(repeating: Self.line(1_500, "1"), count: 99)
        let times = ClaimTimes(log: log, fault: Self.fault)

        #expect(times.complaints(ClaimTarget(window: .during)) == ["only 99 claims were measured during the fault"])
    }
}
