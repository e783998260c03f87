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

    @Test func oneOfAHundredFrequentClaimsLooksBackFurtherThanASecond() {
        let all = slacks(every: .milliseconds(20), for: .seconds(60))

        #expect(all.count { $0.slack.map { $0 > .seconds(1) } ?? true } * 100 < all.count)
    }

    /// What was held up for less than a span, by more than claims are apart, is found before another has passed.
    @Test(arguments: [Duration.milliseconds(5), .milliseconds(50), .milliseconds(170)])
    func aJobThatWasHeldUpIsFoundWithinASpan(interval: Duration) throws {
        let all = slacks(every: interval, for: .seconds(120))
        let spans: [(held: Duration, found: Duration)] = [
            (.milliseconds(260), .milliseconds(500)), (.milliseconds(320), .milliseconds(500)),
            (.milliseconds(700), .seconds(4)), (.milliseconds(3800), .seconds(4)), (.seconds(5), .seconds(32)),
            (.milliseconds(31_800), .seconds(32)),
        ]
        for (held, span) in spans {
            for end in stride(from: 5.0, to: 50, by: 0.037).map({ Duration.seconds($0) }) {
                let found = try #require(
                    all.first { $0.at >= end && ($0.slack ?? .seconds(300)) >= held + ($0.at - end) })
                #expect(found.at - end <= span + interval, "held up for \(held) until \(end)")
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
        let passed = start + .milliseconds(500)

        #expect(window.slack(at: passed) == .seconds(1))
        // It failed, so it is not noted.
        #expect(window.slack(at: passed + .milliseconds(10)) == .seconds(1))
        window.note(claimFrom: passed + .milliseconds(10), to: passed + .milliseconds(10), slack: .seconds(1))
        #expect(window.slack(at: passed + .milliseconds(20)) == ClaimWindow.shortest)
    }
}
