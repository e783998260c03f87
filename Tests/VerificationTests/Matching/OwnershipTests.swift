// SPDX-License-Identifier: Apache-2.0

import Testing
import Verification

@Suite struct OwnershipTests {
    @Test(arguments: [
        MatchingCase.signed("the customer's own", makeTransaction("1"), .candidates(["1"])),
        .signed("a family member's", makeTransaction("1", ownership: .familyShared), .rejected(.familyShared)),
        .signed("an assigned seat", makeTransaction("1", ownership: .assigned), .rejected(.assignedSeat)),
        .signed("of an ownership that Apple added", makeTransaction("1", ownership: .unknown), .review(.unknownAnswer)),
        .signed(
            "an assigned seat of another product", makeTransaction("1", product: "gems", ownership: .assigned),
            .rejected(.wrongProduct)),
        .signed(
            "of an unknown ownership, and of another product", makeTransaction("1", product: "gems", ownership: .unknown),
            .rejected(.wrongProduct)),
        .signed(
            "an assigned seat that was taken back", makeTransaction("1", revokedAt: 2, ownership: .assigned),
            .rejected(.assignedSeat)),
        .signed(
            "of an unknown ownership, and taken back", makeTransaction("1", revokedAt: 2, ownership: .unknown),
            .review(.unknownAnswer)),
        .signed(
            "an assigned seat, of which a part was refunded",
            makeTransaction("1", refund: refund(.part(1)), ownership: .assigned), .rejected(.assignedSeat)),
        .signed(
            "an assigned seat bought through Advanced Commerce",
            makeTransaction("1", ownership: .assigned, isAdvancedCommerce: true), .rejected(.assignedSeat)),
    ])
    func onlyTheCustomersOwnPurchasePays(_ row: MatchingCase) {
        row.check()
    }

    @Test(arguments: [
        MatchingCase.receipt(
            "an assigned seat beside a payment", [makeTransaction("1", ownership: .assigned), makeTransaction("2", at: 2)],
            .candidates(["2"])),
        .receipt(
            "an unknown ownership beside a payment", [makeTransaction("1", ownership: .unknown), makeTransaction("2", at: 2)],
            .candidates(["2"])),
        .receipt(
            "an assigned seat beside an old payment that is not offered",
            [makeTransaction("1", ownership: .assigned), makeTransaction("2", at: -600)], .missing, unclaimed: ["2": .noOrder]),
        .receipt(
            "an unknown ownership beside an old payment that is not offered may be the payment",
            [makeTransaction("1", ownership: .unknown), makeTransaction("2", at: -600)], .review(.unknownAnswer),
            unclaimed: ["2": .noOrder]),
        .receipt(
            "an unknown ownership from before the order", [makeTransaction("1", at: -600, ownership: .unknown)], .missing),
        .receipt(
            "an unknown ownership from before the order, named",
            [makeTransaction("1", at: -600, ownership: .unknown)], hint: "1", .review(.unknownAnswer)),
        .receipt(
            "an assigned seat from before the order", [makeTransaction("1", at: -600, ownership: .assigned)], .missing),
        .receipt(
            "an unknown ownership outweighs a seat",
            [makeTransaction("1", ownership: .assigned), makeTransaction("2", at: 2, ownership: .unknown)],
            .review(.unknownAnswer)),
        .receipt(
            "of a family member's purchase and a seat the older one is named",
            [makeTransaction("1", at: 2, ownership: .familyShared), makeTransaction("2", at: 1, ownership: .assigned)],
            .rejected(.assignedSeat)),
    ])
    func receiptWithWhatOthersPaidIsSorted(_ row: MatchingCase) {
        row.check()
    }
}
