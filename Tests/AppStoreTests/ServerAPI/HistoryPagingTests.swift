// SPDX-License-Identifier: Apache-2.0

import Testing
import Verification

@testable import AppStore

@Suite
struct HistoryPagingTests {
    private let code = ServerAPIErrorCode(rawValue: 4_000_005)

    @Test
    func pagesFollowOneAnotherUntilThereAreNoMore() throws {
        var paging = HistoryPaging("Test", from: nil, maximumPages: 9)

        #expect(paging.next == .ask(nil))
        try paging.note(hasMore: true, position: "a")
        #expect(paging.next == .ask("a"))
        try paging.note(hasMore: false, position: "b")
        #expect(paging.next == .finished(isComplete: true))
        #expect(paging.position == "b")
    }

    @Test
    func historyIsResumed() throws {
        var paging = HistoryPaging("Test", from: "a", maximumPages: 9)

        #expect(paging.next == .ask("a"))
        try paging.note(hasMore: false, position: nil)
        #expect(paging.next == .finished(isComplete: true))
        #expect(paging.position == "a")
    }

    @Test(arguments: [nil, "a"])
    func promiseOfMoreWithoutAWayThereIsUncertain(position: String?) throws {
        var paging = HistoryPaging("Test", from: "a", maximumPages: 9)

        let failure = #expect(throws: VerificationFailure.self) { try paging.note(hasMore: true, position: position) }

        #expect(failure?.kind == .uncertain(.review))
    }

    @Test
    func pagesAreCounted() throws {
        var paging = HistoryPaging("Test", from: nil, maximumPages: 2)
        try paging.note(hasMore: true, position: "a")
        try paging.note(hasMore: true, position: "b")

        #expect(paging.next == .finished(isComplete: false))
        #expect(paging.position == "b")
        #expect(HistoryPaging("Test", from: nil, maximumPages: 0).next == .finished(isComplete: false))
    }

    @Test
    func refusedPositionBeginsAnewOnce() throws {
        var paging = HistoryPaging("Test", from: "old", maximumPages: 9)

        try paging.restart(code)
        #expect(paging.next == .ask(nil))
        try paging.note(hasMore: true, position: "a")
        let failure = #expect(throws: VerificationFailure.self) { try paging.restart(code) }

        #expect(failure?.kind == .uncertain(.review))
    }

    @Test
    func refusalOfTheFirstPageIsUncertain() {
        var paging = HistoryPaging("Test", from: nil, maximumPages: 9)

        #expect(throws: VerificationFailure.self) { try paging.restart(code) }
    }

    @Test
    func restartCountsAsAPage() throws {
        var paging = HistoryPaging("Test", from: "old", maximumPages: 1)

        try paging.restart(code)

        #expect(paging.next == .finished(isComplete: false))
    }
}
