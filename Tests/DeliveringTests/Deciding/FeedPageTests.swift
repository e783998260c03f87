// SPDX-License-Identifier: Apache-2.0

import Postgres
import Testing

@testable import Delivering

@Suite struct FeedPageTests {
    private static let moment = FeedPage.Moment(at: .distantPast, nextXid: "7")

    private static func change(
        _ id: Int64, key: String = "a", account: String? = nil, kind: String = "x", app: String? = "app", isTold: Bool = false,
        isHeld: Bool = false
    ) -> FeedChange {
        FeedChange(
            id: id, at: PostgresTimestamp(microsecondsSince1970: 100 - id), kind: kind, key: key, accountID: account, bundleID: app,
            nextCursor: "c\(id)", isTold: isTold, isHeld: isHeld, json: "{}")
    }

    private static func page(_ changes: [FeedChange], _ selection: ChangeSelection = ChangeSelection()) throws -> FeedPage {
        try #require(FeedPage(cursor: "c0", moment: moment, changes: changes, isFull: false, selection: selection))
    }

    @Test func withoutChangesThereIsNone() {
        #expect(FeedPage(cursor: "c0", moment: Self.moment, changes: [], isFull: false, selection: ChangeSelection()) == nil)
    }

    @Test func callsAreInTheOrderOfAccountsThenOfNumbers() throws {
        let page = try Self.page([
            Self.change(1, key: "p", account: "zoe"), Self.change(2, key: "q", account: "ann"),
            Self.change(3, key: "r", account: "zoe"),
            Self.change(4, key: "s"), Self.change(5, key: "t", account: "ann"),
        ])
        #expect(page.calls.map(\.id) == [4, 2, 5, 1, 3])
    }

    /// The account that a payment names may become known between two of its changes.
    @Test func theChangesOfAKeyKeepTheirOrderWhateverAccountsTheyName() throws {
        let page = try Self.page([
            Self.change(1, key: "p", account: "zoe"), Self.change(2, key: "p", account: "ann"), Self.change(3, key: "p"),
            Self.change(4, key: "q", account: "bob"),
        ])
        #expect(page.calls.map(\.id) == [4, 1, 2, 3])
    }

    @Test func whatIsToldOrHeldOrUnwantedIsNotCalledFor() throws {
        let page = try Self.page(
            [
                Self.change(1, isTold: true), Self.change(2, isHeld: true), Self.change(3, kind: "y"), Self.change(4, app: "other"),
                Self.change(5, app: nil), Self.change(6), Self.change(7, isTold: true, isHeld: true),
            ], ChangeSelection(kinds: ["x"], bundleIDs: ["app"]))

        #expect(page.calls.map(\.id) == [6])
        #expect(page.waits.map(\.id) == [2])
        #expect(page.ids == [2, 6])
        #expect(page.nextCursor == "c7")
        #expect(page.lastAt == PostgresTimestamp(microsecondsSince1970: 99))
    }

    @Test func eachPartEndsWithOneChangeToSettle() throws {
        let page = try Self.page(
            [
                Self.change(1, kind: "y"), Self.change(2), Self.change(3, isHeld: true), Self.change(4, isTold: true),
                Self.change(5, kind: "y"),
            ], ChangeSelection(kinds: ["x"]))

        #expect(page.parts.map(\.change?.id) == [2, 3, nil])
        #expect(page.parts.map(\.cursor) == ["c0", "c2", "c3"])
        #expect(page.parts.map(\.nextCursor) == ["c2", "c3", "c5"])
    }
}
