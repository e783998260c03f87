// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import EventSources

@Suite(.timeLimit(.minutes(1)))
struct AlarmClockTests {
    private let clock = AlarmClock()

    @Test func sleepersWakeInTheOrderOfTheirTimes() async {
        let start = ContinuousClock.now

        let order = await withTaskGroup(of: Int.self) { group in
            for number in [3, 1, 2] {
                group.addTask {
                    await clock.sleep(until: start + .milliseconds(100 * number))
                    return number
                }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }

        #expect(order == [1, 2, 3])
        #expect(clock.sleeperCount == 0)
    }

    @Test func nobodyWakesTooEarly() async {
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<200 {
                group.addTask {
                    let instant = ContinuousClock.now + .milliseconds(Int.random(in: 0...50))
                    await clock.sleep(until: instant)
                    #expect(ContinuousClock.now >= instant)
                }
            }
        }
    }

    @Test func cancelledSleeperWakesAtOnceAndLeavesTheOthersAsleep() async {
        let end = ContinuousClock.now + .milliseconds(300)
        await withTaskGroup(of: Bool.self) { group in
            group.addTask {
                await clock.sleep(until: end)
                return ContinuousClock.now >= end
            }
            let sleeper = Task { await clock.sleep(until: .now + .seconds(3600)) }
            sleeper.cancel()
            await sleeper.value

            #expect(ContinuousClock.now < end)
            #expect(await group.next() == true)
        }
    }

    @Test func timesThatAreOverAndCancelledTasksDoNotSleep() async {
        await clock.sleep(until: .now - .seconds(1))
        let sleeper = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            await clock.sleep(until: .now + .seconds(3600))
        }
        await sleeper.value

        #expect(clock.sleeperCount == 0)
    }

    @Test func whoSleepsShortlyWakesWhoeverSleepsLongFromTheSameTime() async {
        for _ in 0..<500 {
            await withTaskGroup(of: Void.self) { group in
                for _ in 0..<2 {
                    group.addTask { await clock.sleep(until: .now + .seconds(3600)) }
                }
                group.addTask { await clock.sleep(until: .now + .milliseconds(1)) }
                await group.next()
                group.cancelAll()
            }
        }
        #expect(clock.sleeperCount == 0)
    }

    @Test func manySleepersThatAreCancelledLeaveNothingBehind() async {
        for _ in 0..<2_000 {
            await withTaskGroup(of: Void.self) { group in
                group.addTask { await clock.sleep(until: .now + .seconds(3600)) }
                group.cancelAll()
            }
        }
        let start = ContinuousClock.now
        await clock.sleep(until: start + .milliseconds(20))

        #expect(ContinuousClock.now >= start + .milliseconds(20))
        #expect(clock.sleeperCount == 0)
    }
}
