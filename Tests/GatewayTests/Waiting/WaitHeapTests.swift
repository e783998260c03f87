// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Gateway

@Suite struct WaitHeapTests {
    private let start = ContinuousClock.now

    private func heap(_ orders: [String], deadline: Duration = .seconds(25)) -> WaitHeap {
        var heap = WaitHeap()
        for (id, order) in orders.enumerated() {
            heap.add(.init(order: order, account: "ann", deadline: start + deadline), id: id, now: start)
        }
        return heap
    }

    private func due(_ heap: inout WaitHeap, _ after: Duration, atMost most: Int = 100) -> [String] {
        heap.due(start + after, atMost: most).map { $0.order + ($0.isLast ? "!" : "") }
    }

    @Test func looksComeLaterAndLater() {
        var heap = heap(["a"])
        var times: [Int] = []
        for millisecond in 0..<25_000 where !heap.due(start + .milliseconds(millisecond), atMost: 1).isEmpty {
            times.append(millisecond)
            heap.looked(0, nextAttempt: nil, now: start + .milliseconds(millisecond))
        }

        #expect(times == [50, 200, 600, 1600, 3600, 8600, 13_600, 18_600, 23_600])
        #expect(due(&heap, .seconds(25)) == ["a!"])
    }

    @Test func nothingIsLookedUpBeforeItsNextAttempt() {
        var heap = heap(["a"])
        #expect(due(&heap, .milliseconds(50)) == ["a"])
        heap.looked(0, nextAttempt: .seconds(10), now: start + .milliseconds(50))

        #expect(due(&heap, .milliseconds(10_056)) == [])
        #expect(due(&heap, .milliseconds(10_058)) == ["a"])
        // The deadline comes first.
        heap.looked(0, nextAttempt: .seconds(60), now: start + .milliseconds(10_058))
        #expect(due(&heap, .milliseconds(24_999)) == [])
        #expect(due(&heap, .seconds(25)) == ["a!"])
    }

    /// A look for a hundred orders costs as much as two for one.
    @Test func aLookGoesAlongWithOneThatIsDue() {
        var heap = heap(["a", "b", "c"], deadline: .seconds(3))
        _ = due(&heap, .milliseconds(50))
        // At 200, 205 and 210 ms, each by at most 7.5 ms earlier.
        for id in 0..<3 { heap.looked(id, nextAttempt: nil, now: start + .milliseconds(50 + 5 * id)) }

        // Alone nobody is early.
        #expect(due(&heap, .milliseconds(199)) == [])
        #expect(due(&heap, .milliseconds(200)) == ["a", "b"])
        #expect(due(&heap, .milliseconds(209)) == [])
        #expect(due(&heap, .milliseconds(210)) == ["c"])

        // Before its next attempt nothing can change, also for who goes along; the last look may.
        heap.looked(0, nextAttempt: .seconds(1), now: start + .milliseconds(210))
        heap.looked(1, nextAttempt: nil, now: start + .milliseconds(795))
        heap.looked(2, nextAttempt: .seconds(60), now: start + .milliseconds(210))
        #expect(due(&heap, .milliseconds(1195)) == ["b"])
        heap.looked(1, nextAttempt: nil, now: start + .milliseconds(1195))
        #expect(due(&heap, .milliseconds(1230)) == ["a"])
        heap.looked(0, nextAttempt: .milliseconds(1745), now: start + .milliseconds(1235))
        #expect(due(&heap, .milliseconds(2195)) == ["b"])
        heap.looked(1, nextAttempt: .milliseconds(700), now: start + .milliseconds(2196))
        heap.wake(order: "b", now: start + .milliseconds(2990))
        #expect(due(&heap, .milliseconds(2989)) == [])
        #expect(due(&heap, .milliseconds(2990)).sorted() == ["a!", "b!", "c!"])
    }

    @Test func theFeedWakesItsOrderAlone() {
        var heap = heap(["a", "b", "a"])
        _ = due(&heap, .milliseconds(50))
        for id in 0..<3 { heap.looked(id, nextAttempt: .seconds(20), now: start + .milliseconds(50)) }

        heap.wake(order: "a", now: start + .milliseconds(60))

        #expect(due(&heap, .milliseconds(60)) == ["a", "a"])
        #expect(due(&heap, .seconds(10)) == [])
    }

    /// The feed may tell of an order between its look and what the look found.
    @Test func whatIsToldDuringALookIsLookedUpAgain() {
        var heap = heap(["a"])
        #expect(due(&heap, .milliseconds(50)) == ["a"])
        heap.wake(order: "a", now: start + .milliseconds(51))
        #expect(due(&heap, .milliseconds(52)) == [])

        heap.looked(0, nextAttempt: .seconds(20), now: start + .milliseconds(53))

        #expect(due(&heap, .milliseconds(53)) == ["a"])
    }

    @Test func aLookTakesSoManyAndTheLongestDueFirst() {
        var heap = WaitHeap()
        for id in 0..<250 {
            heap.add(
                .init(order: "o\(id)", account: "ann", deadline: start + .seconds(25)), id: id, now: start + .milliseconds(250 - id)
            )
        }

        let first = due(&heap, .seconds(1), atMost: 100)

        #expect(first == (0..<100).map { "o\(249 - $0)" })
        #expect(due(&heap, .seconds(1), atMost: 100).count == 100)
        #expect(due(&heap, .seconds(1), atMost: 100).count == 50)
        #expect(due(&heap, .seconds(1), atMost: 100) == [])
    }

    @Test func whoLeftIsNotLookedUp() {
        var heap = heap(["a", "b"])

        let found1 = heap.remove(0)
        #expect(found1)
        let found2 = heap.remove(0)
        #expect(!found2)
        #expect(due(&heap, .seconds(1)) == ["b"])
        let found3 = heap.remove(1)
        #expect(found3)
        heap.looked(1, nextAttempt: nil, now: start)
        heap.wake(order: "b", now: start)
        #expect(due(&heap, .seconds(60)) == [])
        #expect(heap.count == 0)
    }

    @Test func stoppingIsTheLastLookOfAll() {
        var heap = heap(["a", "b"])
        _ = heap.due(start + .milliseconds(50), atMost: 1)

        heap.wakeAll(now: start + .milliseconds(51))

        // One of them is being looked up.
        let other = due(&heap, .milliseconds(51))
        #expect(other.count == 1)
        #expect(other[0].hasSuffix("!"))
        for id in 0..<2 { heap.looked(id, nextAttempt: nil, now: start + .milliseconds(52)) }
        #expect(due(&heap, .milliseconds(52)).allSatisfy { $0.hasSuffix("!") })
    }

    /// Against a list that is sorted: no look is lost, and none comes early.
    @Test(arguments: [1, 2, 3] as [UInt64])
    func itIsAsASortedList(seed: UInt64) {
        var generator = Seeded(state: seed)
        var heap = WaitHeap()
        var due: [Int: ContinuousClock.Instant] = [:]
        var now = start
        for step in 0..<20_000 {
            now += .milliseconds(Int.random(in: 0...20, using: &generator))
            switch Int.random(in: 0..<10, using: &generator) {
            case 0..<4:
                heap.add(.init(order: "o", account: "a", deadline: now + .seconds(3600)), id: step, now: now)
                due[step] = now + .milliseconds(50)
            case 4..<6:
                guard let id = due.keys.randomElement(using: &generator) else { break }
                let found4 = heap.remove(id)
                #expect(found4)
                due[id] = nil
            default:
                let looks = heap.due(now, atMost: 5)
                let expected = due.values.filter { $0 <= now }.sorted().prefix(5)
                #expect(looks.compactMap { due[$0.id] } == Array(expected))
                for look in looks {
                    heap.remove(look.id)
                    due[look.id] = nil
                }
            }
            #expect(heap.count == due.count)
        }
    }

    private struct Seeded: RandomNumberGenerator {
        var state: UInt64

        mutating func next() -> UInt64 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return state ^ state >> 33
        }
    }
}
