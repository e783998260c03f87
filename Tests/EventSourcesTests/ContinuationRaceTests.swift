// SPDX-License-Identifier: Apache-2.0

import EventSources
import Testing

@Suite struct ContinuationRaceTests {
    @Test func firstEventWins() async {
        let race = ContinuationRace<Int>()

        let value = await withCheckedContinuation { continuation in
            race.install(continuation)
            #expect(race.finish(with: 1))
            #expect(!race.finish(with: 2))
        }

        #expect(value == 1)
    }

    @Test func eventBeforeTheContinuationIsKept() async {
        let race = ContinuationRace<Int>()
        #expect(race.finish(with: 1))

        let value = await withCheckedContinuation { continuation in
            race.install(continuation)
        }

        #expect(value == 1)
        #expect(!race.finish(with: 2))
    }
}
