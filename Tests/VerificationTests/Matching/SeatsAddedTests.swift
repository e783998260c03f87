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

    private static let added = Shown("2", original: "1", kind: .autoRenewable).seats(of: "w1")
    private static let addedLater = Shown("2", original: "1", kind: .autoRenewable, at: 5).seats(of: "w1")
    private static let paidOrder = makeOrder(quantity: 2, state: .fulfilled)

    @Test(arguments: [
        ChoiceCase("nothing is known of the period", [added], .review(.seatsAdded, "2"), unclaimed: ["2": .seatsAdded]),
        ChoiceCase(
            "only the ledger knows that they are seats", [Shown("2", original: "1", kind: .autoRenewable).addition],
            .review(.seatsAdded, "2"), unclaimed: ["2": .seatsAdded]),
        ChoiceCase(
            "the ledger holds a payment of the same moment", [added.held(by: "other", as: "1")],
            .rejected(.alreadyGranted, "2"), restored: ["2"]),
        ChoiceCase("another account's", [added.anotherAccounts], .review(.ownerMismatch, "2"), unclaimed: ["2": .ownerMismatch]),
        ChoiceCase("taken back", [added.revoked], .refunded("2")),
        ChoiceCase(
            "beside the period", [Shown("1", kind: .autoRenewable), addedLater], .fulfilled("1"), unclaimed: ["2": .seatsAdded]),
        ChoiceCase(
            "beside the period, by the ledger's word that they renew it", [Shown("1", kind: .autoRenewable), addedLater.renewal],
            .fulfilled("1"), unclaimed: ["2": .seatsAdded]),
        ChoiceCase(
            "for the order of the period", [addedLater.renewal], order: paidOrder, .unchanged, unclaimed: ["2": .seatsAdded]),
        ChoiceCase(
            "for the order of the period, and only the ledger knows",
            [Shown("2", original: "1", kind: .autoRenewable, at: 5).addition.renewal], order: paidOrder, .unchanged,
            unclaimed: ["2": .seatsAdded]),
        ChoiceCase(
            "another account's seats for the order of the period", [addedLater.anotherAccounts], order: paidOrder, .unchanged,
            unclaimed: ["2": .ownerMismatch]),
        ChoiceCase(
            "for a cancelled order", [added], order: makeOrder(quantity: 2, state: .cancelled), .unchanged,
            unclaimed: ["2": .seatsAdded]),
    ])
    func seatsRenewAndRepeatNothing(_ row: ChoiceCase) {
        row.check()
    }
}
