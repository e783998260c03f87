// SPDX-License-Identifier: Apache-2.0

import Testing
import VerificationQueue

@Suite struct RescueWindowTests {
    private let start = ContinuousClock.now

    @Test func theFirstScanLooksBackWithoutEnd() {
        #expect(RescueWindow().span(at: start) == nil)
    }

    @Test func theNextLooksBackToTheLastThatWasWhole() {
        var window = RescueWindow()
        window.note(scanFrom: start, to: start, span: nil, isWhole: true)

        #expect(window.span(at: start + .seconds(1)) == .seconds(1) + RescueWindow.slack)
        for (seconds, isWhole) in [(1, true), (3, false)] {
            let now = start + .seconds(seconds)
            window.note(scanFrom: now, to: now, span: window.span(at: now), isWhole: isWhole)
        }
        #expect(window.span(at: start + .seconds(5)) == .seconds(4) + RescueWindow.slack)
    }

    /// While an old snapshot holds vacuum back it may take longer than a statement may.
    @Test func oneWithoutEndThatFailedIsNotRepeatedAtOnce() {
        var window = RescueWindow()
        window.note(scanFrom: start, to: start + .seconds(30), span: nil, isWhole: false)

        #expect(window.span(at: start + .seconds(31)) == RescueWindow.spanWithoutScan)
        window.note(
            scanFrom: start + .seconds(31), to: start + .seconds(31), span: RescueWindow.spanWithoutScan, isWhole: true)
        #expect(window.span(at: start + .seconds(32)) == .seconds(1) + RescueWindow.slack)
        #expect(window.span(at: start + .seconds(30) + FullScanSchedule.longestInterval) == nil)
    }

    @Test func everyTenSecondsOneLooksBackWithoutEnd() {
        var window = RescueWindow()
        window.note(scanFrom: start, to: start, span: nil, isWhole: true)
        var full: [Int] = []
        for second in 1...31 {
            let now = start + .seconds(second)
            let span = window.span(at: now)
            if span == nil { full.append(second) }
            window.note(scanFrom: now, to: now, span: span, isWhole: true)
        }

        #expect(full == [10, 20, 30])
    }
}
