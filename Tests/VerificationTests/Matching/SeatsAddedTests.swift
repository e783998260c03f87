// SPDX-License-Identifier: Apache-2.0

import Testing
import Verification

/// Seats that were added to a period of a subscription: a further payment of that period.
@Suite struct SeatsAddedTests {
    private static let seats = makeTransaction("2", original: "1", webOrder: "w", kind: .autoRenewable, added: .seatAddition)
    private static let club = makeOrder(kind: .autoRenewable)

    @Test(arguments: [
        MatchingCase.signed("seats", seats, order: club, .candidates([.init("2", .seatsAdded)])),
        .signed(
            "a reason that Apple added", makeTransaction("1", webOrder: "w", added: .unknown), order: club,
            .candidates([.init("1", .seatsAdded)])),
        .signed(
            "seats, refunded in part",
            makeTransaction("1", webOrder: "w", refund: refund(.part(1)), added: .seatAddition), order: club,
            .candidates([.init("1", .seatsAdded)]), partlyRevoked: ["1"]),
        .signed(
            "seats, refunded", makeTransaction("1", webOrder: "w", revokedAt: 2, added: .seatAddition), order: club,
            .refunded("1"), revoked: ["1"]),
        .signed(
            "seats of another product", makeTransaction("1", product: "gems", added: .seatAddition),
            .candidates([.init("1", .seatsAdded)])),
        .signed(
            "a seat that was assigned out of them", makeTransaction("1", webOrder: "w", ownership: .assigned, added: .seatAddition),
            order: club, .rejected(.assignedSeat)),
        .receipt(
            "the period and its seats",
            [makeTransaction("1", webOrder: "w"), makeTransaction("2", original: "1", webOrder: "w", at: 5, added: .seatAddition)],
            order: club, .candidates(["1", .init("2", .seatsAdded)])),
        .receipt(
            "seats from before the order", [makeTransaction("1", webOrder: "w", at: -600, added: .seatAddition)], order: club,
            .missing, unclaimed: ["1": .seatsAdded]),
        .receipt(
            "one entry of a transaction lacks the reason",
            [makeTransaction("1", webOrder: "w", token: token), makeTransaction("1", webOrder: "w", added: .seatAddition)],
            order: club, .candidates([.init("1", .seatsAdded)])),
    ])
    func seatsAreLeftToAnOperator(_ row: MatchingCase) {
        row.check()
    }

    /// Whatever is shown of the period later would be taken for a repetition of whatever is granted under its key.
    @Test func seatsHaveNoKeyButTheirID() {
        let key = GrantKey(Self.seats, kind: .autoRenewable)

        #expect(key.rawValue == "transaction:2")
        #expect(key.shared == nil)
        #expect(Self.seats.paidLineItemID == nil)
    }

    @Test(arguments: [
        LedgerCase(
            "nothing is known of the period", [.seats("2")], .review(.seatsAdded, "2"), unclaimed: ["2": .seatsAdded]),
        LedgerCase(
            "only the ledger knows that they are seats", [.free("2", original: "1", kind: .autoRenewable).addition],
            .review(.seatsAdded, "2"), unclaimed: ["2": .seatsAdded]),
        LedgerCase(
            "the ledger holds a payment of the same moment", [.seats("2").held(by: "other", as: "1")],
            .rejected(.alreadyGranted, "2"), knownAgain: ["2"]),
        LedgerCase(
            "another account's", [.seats("2").anotherAccounts], .review(.ownerMismatch, "2"), unclaimed: ["2": .ownerMismatch]),
        LedgerCase("taken back", [.seats("2").revoked], .refunded("2")),
        LedgerCase(
            "beside the period", [.free("1", kind: .autoRenewable), .seats("2", at: 5)], .fulfilled("1"),
            unclaimed: ["2": .seatsAdded]),
        LedgerCase(
            "for the order of the period", [.seats("2", at: 5)], order: makeOrder(state: .fulfilled),
            .unchanged, unclaimed: ["2": .seatsAdded]),
        LedgerCase(
            "for the order of the period, and only the ledger knows",
            [.free("2", original: "1", kind: .autoRenewable, at: 5).addition], order: makeOrder(state: .fulfilled), .unchanged,
            unclaimed: ["2": .seatsAdded]),
        LedgerCase(
            "another account's seats for the order of the period", [.seats("2", at: 5).anotherAccounts],
            order: makeOrder(state: .fulfilled), .unchanged, unclaimed: ["2": .ownerMismatch]),
        LedgerCase(
            "for a cancelled order", [.seats("2")], order: makeOrder(state: .cancelled), .unchanged,
            unclaimed: ["2": .seatsAdded]),
    ])
    func seatsRenewAndRepeatNothing(_ row: LedgerCase) {
        row.check()
    }
}
