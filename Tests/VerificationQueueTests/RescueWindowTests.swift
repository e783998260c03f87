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
        window.note(scanFrom: start, to: start, span: nil)

        #expect(window.span(at: start + .seconds(1)) == .seconds(1) + RescueWindow.slack)
        window.note(scanFrom: start + .seconds(1), to: start + .seconds(1), span: window.span(at: start + .seconds(1)))
        // One that failed in between is not noted.
        #expect(window.span(at: start + .seconds(5)) == .seconds(4) + RescueWindow.slack)
    }

    @Test func everyTenSecondsOneLooksBackWithoutEnd() {
        var window = RescueWindow()
        window.note(scanFrom: start, to: start, span: nil)
        var full: [Int] = []
        for second in 1...31 {
            let now = start + .seconds(second)
            let span = window.span(at: now)
            if span == nil { full.append(second) }
            window.note(scanFrom: now, to: now, span: span)
        }

        #expect(full == [10, 20, 30])
    }
}
