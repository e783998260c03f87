// SPDX-License-Identifier: Apache-2.0

import Testing
import VerificationQueue

@Suite struct ClaimWindowTests {
    private let start = ContinuousClock.now

    /// Claims one after the other for a while, and tells how far each looked back.
    private func slacks(
        every interval: Duration, for duration: Duration, fullScanInterval: Duration = .seconds(60)
    ) -> [(at: Duration, slack: Duration?)] {
        var window = ClaimWindow(fullScanInterval: fullScanInterval)
        return (0...Int(duration / interval)).map { number in
            let time = interval * number
            let slack = window.slack(at: start + time)
            window.note(claimFrom: start + time, to: start + time, slack: slack)
            return (time, slack)
        }
    }

    @Test func theFirstClaimLooksBackWithoutEnd() {
        #expect(ClaimWindow().slack(at: start) == nil)
    }

    @Test func nineOfTenFrequentClaimsLookBackTheShortestWay() {
        let all = slacks(every: .milliseconds(10), for: .seconds(20))

        #expect(all.count { $0.slack == ClaimWindow.shortest } > all.count * 9 / 10)
    }

    @Test(arguments: [Duration.milliseconds(5), .milliseconds(50), .milliseconds(170)])
    func aJobThatWasHeldUpIsFoundBeforeTwiceAsMuchTimeHasPassedAgain(interval: Duration) throws {
        let all = slacks(every: interval, for: .seconds(60))
        for held in [Duration.milliseconds(260), .milliseconds(499), .milliseconds(700), .seconds(1), .milliseconds(1900)] {
            for end in stride(from: 5.0, to: 50, by: 0.037).map({ Duration.seconds($0) }) {
                let found = try #require(
                    all.first { $0.at >= end && ($0.slack ?? .seconds(60)) >= held + ($0.at - end) })
                #expect(found.at - end <= held * 2 + interval, "held up for \(held) until \(end)")
            }
        }
    }

    @Test func everyFewSecondsOneLooksBackWithoutEnd() {
        let all = slacks(every: .milliseconds(100), for: .seconds(21), fullScanInterval: .seconds(5))

        #expect(all.filter { $0.slack == nil }.map(\.at) == [.seconds(0), .seconds(5), .seconds(10), .seconds(15), .seconds(20)])
    }

    @Test func whatAFailedClaimDidNotSeeTheNextLooksFor() {
        var window = ClaimWindow(fullScanInterval: .seconds(60))
        window.note(claimFrom: start, to: start, slack: nil)
        let passed = start + ClaimWindow.shortest

        #expect(window.slack(at: passed) == ClaimWindow.shortest * 2)
        // It failed, so it is not noted.
        #expect(window.slack(at: passed + .milliseconds(10)) == ClaimWindow.shortest * 2)
        window.note(claimFrom: passed + .milliseconds(10), to: passed + .milliseconds(10), slack: ClaimWindow.shortest * 2)
        #expect(window.slack(at: passed + .milliseconds(20)) == ClaimWindow.shortest)
    }
}
