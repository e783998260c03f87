// SPDX-License-Identifier: Apache-2.0

import Postgres
import Testing

@testable import Delivering

@Suite struct DeliveryMachineTests {
    private typealias Step = DeliveryMachine.Step

    private static func change(_ id: Int64, key: String? = nil, account: String? = nil) -> FeedChange {
        FeedChange(
            id: id, at: PostgresTimestamp(microsecondsSince1970: id), kind: "order_fulfilled", key: key ?? "order \(id)",
            accountID: account, bundleID: "app", nextCursor: "c\(id)", json: "{}")
    }

    private static func page(_ ids: ClosedRange<Int64>) throws -> FeedPage {
        try #require(
            FeedPage(
                cursor: "c0", moment: FeedPage.Moment(at: .distantPast, nextXid: "7"), changes: ids.map { change($0) },
                isFull: false,
                selection: ChangeSelection()))
    }

    private static let failure = DeliveryFailure(lostSession: false, text: "P0001 no")
    private static let loss = DeliveryFailure(lostSession: true, text: "57P01 ended")

    private static func delivered(
        _ changes: Int = 100, isFull: Bool = true, took: Duration = .milliseconds(200), hasDue: Bool = false
    ) -> DeliveryMachine.Outcome {
        .delivered(changes: changes, isFull: isFull, took: took, hasDue: hasDue)
    }

    /// A machine that does the page of three changes again, one by one.
    private static func failed() throws -> (machine: DeliveryMachine, parts: [FeedPart]) {
        var machine = DeliveryMachine()
        let page = try page(1...3)
        machine.ended(.pageFailed(page))
        return (machine, page.parts)
    }

    @Test func aFullPageIsFollowedByTheNext() {
        var machine = DeliveryMachine()
        #expect(machine.step == .page(atMost: 100))

        machine.ended(Self.delivered())

        #expect(machine.step == .page(atMost: 100))
    }

    @Test func afterAShortReadItRestsAndLooks() {
        for outcome in [Self.delivered(3, isFull: false), .empty(hasDue: false), .looked(hasNews: false)] {
            var machine = DeliveryMachine()
            machine.ended(outcome)
            #expect(machine.step == .rest(.milliseconds(200)))

            machine.rested()

            #expect(machine.step == .look)
        }
    }

    @Test func newsAreRead() {
        var machine = DeliveryMachine()
        machine.ended(.looked(hasNews: true))
        #expect(machine.step == .page(atMost: 100))
    }

    @Test(arguments: [
        (took: Duration.milliseconds(500), isFull: true, next: Int32(50)), (.milliseconds(250), true, 100),
        (.milliseconds(100), true, 200),
        (.milliseconds(100), false, 100), (.seconds(100), true, 1),
    ])
    func aPageIsAsLongAsItsTimeAllows(took: Duration, isFull: Bool, next: Int32) {
        var machine = DeliveryMachine()
        machine.ended(Self.delivered(took: took))
        machine.ended(Self.delivered(took: .milliseconds(200)))
        var other = DeliveryMachine()
        other.ended(Self.delivered(took: took, hasDue: true))
        other.ended(.tried(succeeded: nil, isPaused: false))

        #expect(isFull == false || machine.step == .page(atMost: next))
        #expect(isFull == false || other.step == .page(atMost: next))
        var short = DeliveryMachine()
        short.ended(Self.delivered(isFull: false, took: .milliseconds(100)))
        short.rested()
        short.ended(.looked(hasNews: true))
        #expect(short.step == .page(atMost: 100))
    }

    @Test func aPageNeverHasMoreThanTheMost() {
        var machine = DeliveryMachine()
        for _ in 0..<10 { machine.ended(Self.delivered(took: .milliseconds(1))) }
        #expect(machine.step == .page(atMost: 1000))
    }

    @Test func aDueChangeIsTriedBetweenTwoPages() {
        for outcome in [Self.delivered(hasDue: true), .empty(hasDue: true)] {
            for succeeded in [true, false, nil] {
                var machine = DeliveryMachine()
                machine.ended(outcome)
                #expect(machine.step == .waiting(onlyDue: true))

                machine.ended(.tried(succeeded: succeeded, isPaused: false))

                #expect(machine.step == .page(atMost: 100))
            }
        }
    }

    @Test func aPageThatFailsIsDoneAgainChangeByChange() throws {
        var (machine, parts) = try Self.failed()
        for part in parts {
            #expect(machine.step == .part(part))
            machine.ended(.partDone)
        }
        // The next page is shorter: it may have been too long for the function.
        #expect(machine.step == .page(atMost: 50))
    }

    @Test func aChangeThatFailsWaitsAndTheOthersGoOn() throws {
        var (machine, parts) = try Self.failed()

        machine.ended(.partFailed(Self.failure))
        #expect(machine.step == .putOff(parts[0], Self.failure))
        machine.ended(.putOffDone)

        #expect(machine.step == .part(parts[1]))
    }

    @Test func aChangeThatLosesTheSessionIsTriedOnceMore() throws {
        var (machine, parts) = try Self.failed()

        machine.ended(.partFailed(Self.loss))
        #expect(machine.step == .part(parts[0]))
        machine.ended(.partFailed(Self.loss))

        #expect(machine.step == .putOff(parts[0], Self.loss))
        machine.ended(.putOffDone)
        machine.ended(.partFailed(Self.loss))
        #expect(machine.step == .part(parts[1]))
    }

    @Test(arguments: [(cursor: "c0", left: 0), ("c1", 1), ("c2", 2), ("c3", 3), ("another", 3)])
    func aCommitThatCameThroughIsNotDoneAgain(cursor: String, left: Int) throws {
        var (machine, parts) = try Self.failed()

        machine.ended(.moved(cursor: cursor))

        #expect(machine.step == (left < 3 ? .part(parts[left]) : .page(atMost: 50)))
    }

    @Test func whoStandsByForgetsTheFailedPage() throws {
        var (machine, _) = try Self.failed()

        machine.ended(.standsBy)

        #expect(machine.standsBy)
        #expect(machine.step == .rest(.milliseconds(200)))
        machine.rested()
        #expect(machine.step == .page(atMost: 50))
        machine.ended(.empty(hasDue: false))
        #expect(!machine.standsBy)
    }

    @Test func whilePausedOneWaitingChangeIsTriedNowAndThen() throws {
        var (machine, _) = try Self.failed()

        machine.ended(.paused)
        for _ in 0..<3 {
            #expect(machine.isPaused)
            #expect(machine.step == .rest(.seconds(10)))
            machine.rested()
            #expect(machine.step == .waiting(onlyDue: false))
            machine.ended(.tried(succeeded: false, isPaused: true))
        }
        machine.rested()
        machine.ended(.tried(succeeded: true, isPaused: true))

        #expect(!machine.isPaused)
        #expect(machine.step == .page(atMost: 50))
    }

    /// An operator skipped them all, or another deliverer had a success.
    @Test func aPauseEndsWithNothingToTry() {
        for (succeeded, isPaused) in [(nil, true), (false, false)] as [(Bool?, Bool)] {
            var machine = DeliveryMachine()
            machine.ended(.paused)
            machine.rested()
            machine.ended(.tried(succeeded: succeeded, isPaused: isPaused))
            #expect(machine.step == .page(atMost: 100))
        }
    }

    @Test func anUnknownCursorIsReplaced() {
        var machine = DeliveryMachine()
        machine.ended(.cursorUnknown("c"))
        #expect(machine.step == .beginAnew(cursor: "c"))
        machine.ended(.beganAnew)
        #expect(machine.step == .page(atMost: 100))
    }

    @Test func theSameStepComesAgainWhenTheDatabaseIsInTheWay() throws {
        var (machine, parts) = try Self.failed()
        var rests: [Duration] = []
        for _ in 0..<8 {
            machine.ended(.troubled)
            guard case .rest(let duration) = machine.step else { break }
            rests.append(duration)
            machine.rested()
            #expect(machine.step == .part(parts[0]))
        }
        #expect(rests == [100, 200, 400, 800, 1600, 3200, 5000, 5000].map { .milliseconds($0) })
    }

    @Test(arguments: [(1, 1), (2, 2), (3, 4), (10, 512), (11, 600), (100, 600)] as [(Int32, Int64)])
    func theDelayOfAWaitingChangeGrows(failures: Int32, seconds: Int64) {
        #expect(RetryDelay.after(failures: failures) == .seconds(seconds))
    }
}
