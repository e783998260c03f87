// SPDX-License-Identifier: Apache-2.0

import Postgres
import TestSupport
import Testing
import Verification
import VerificationQueue

/// A period to which seats were added has two payments. Both may bear its line item, and later both bear Apple's reason.
@Suite struct AddedSeatsTests {
    private static func payment(
        _ id: String, original: String = "1", at seconds: Int64 = 0, isAddition: Bool = false
    ) -> Payment {
        Payment(
            id: id, original: original, webOrderLineItem: "9", product: "plus", kind: "auto_renewable", purchasedAt: seconds,
            isAddition: isAddition)
    }

    private static let period = payment("1")
    private static let seats = payment("2", at: 5, isAddition: true)
    /// As a receipt shows them, which doesn't know the reason.
    private static let bareSeats = payment("2", at: 5)

    /// Order `d` has the period; `b` is another of the same account.
    private func open(_ body: @Sendable (Shop) async throws -> Void) async throws {
        try await Shop.open { shop in
            try await shop.order("d", product: "plus")
            try await shop.order("b", product: "plus")
            try #require(try await shop.insertGrant("d", Self.period))
            try await body(shop)
            #expect(try await shop.faults() == [])
        }
    }

    private func states(_ shop: Shop) async throws -> [String] {
        try await shop.rows(
            """
            select s.transaction_id, s.state, s.reason, o.order_id
            from counterfoil.payment_states s
            left join counterfoil.orders o on o.number = s.order_number
            order by 1
            """)
    }

    @Test func seatsAreAPaymentOfTheirOwn() async throws {
        try await open { shop in
            #expect(try await shop.readLedger("b", Self.seats) == LedgerFacts(orderState: .open, renewedAccount: .ann))

            try await shop.insertUnclaimed([("b", Self.seats)], reason: "seats_added")

            #expect(try await states(shop) == ["(1,granted,,d)", "(2,unclaimed,seats_added,)"])
            #expect(try await shop.rows("select transaction_id from counterfoil.paid_not_delivered") == ["(2)"])
            #expect(
                try await shop.rows(
                    "select status, client_action from counterfoil.transaction_status where transaction_id = '2'")
                    == ["(unclaimed,contact_support)"])
        }
    }

    /// Apple sets the reason on the period's first transaction, too.
    @Test(arguments: ["1", "3"])
    func thePeriodsOwnPaymentStaysThat(id: String) async throws {
        try await open { shop in
            let first = Self.payment(id, isAddition: true)

            #expect(try await shop.readLedger("b", first) == .granted("1", to: "d"))
            // First without the reason.
            try await shop.insertNames([Self.payment(id)])
            try await shop.insertNames([first])

            #expect(try await states(shop) == ["(1,granted,,d)"] + (id == "3" ? ["(3,restored,restored,)"] : []))
            #expect(try await shop.count("counterfoil.unclaimed_transactions") == 0)
        }
    }

    @Test func seatsAreNotGrantedByAReceiptThatDoesNotKnowThem() async throws {
        try await open { shop in
            try await shop.insertUnclaimed([("b", Self.seats)], reason: "seats_added")

            let facts = LedgerFacts(isAddition: true, orderState: .open, renewedAccount: .ann)
            #expect(try await shop.readLedger("b", Self.bareSeats) == facts)
            #expect(try await !shop.insertGrant("b", Self.bareSeats))
            try await shop.insertUnclaimed([("b", Self.bareSeats)])

            #expect(try await states(shop) == ["(1,granted,,d)", "(2,unclaimed,seats_added,)"])
        }
    }

    @Test func anOperatorGrantsThem() async throws {
        try await open { shop in
            try await shop.insertUnclaimed([("b", Self.seats)], reason: "seats_added")

            #expect(try await shop.insertGrants([("b", Self.seats)]) == [])
            #expect(try await shop.insertGrants([("b", Self.seats)], isOperatorDecision: true) == ["b"])

            #expect(try await states(shop) == ["(1,granted,,d)", "(2,granted,,b)"])
            #expect(try await shop.value("select payment_key from counterfoil.payments where transaction_id = '2'") == nil)
            try await shop.order("c", product: "plus")
            for repeated in [Self.seats, Self.bareSeats] {
                let holder = LedgerFacts.Holder.grant(of: "2", to: "b")
                let facts = try await shop.readLedger("c", repeated)
                #expect(facts.holder == holder)
            }
            // Seats that are restored under another id.
            #expect(try await shop.readLedger("c", Self.payment("4", at: 5, isAddition: true)).holder == .grant(of: "2", to: "b"))
        }
    }

    /// An operator fetched them from Apple: they had no row.
    @Test func seatsThatWereNeverUnclaimedAreHeldByTheirID() async throws {
        try await open { shop in
            #expect(try await shop.insertGrants([("b", Self.seats)], isOperatorDecision: true) == ["b"])
            try await shop.order("c", product: "plus")

            #expect(try await shop.readLedger("c", Self.bareSeats).holder == .grant(of: "2", to: "b"))
        }
    }

    @Test func thePeriodIsGrantedAfterItsSeats() async throws {
        try await Shop.open { shop in
            try await shop.order("a", product: "plus")
            try await shop.order("b", product: "plus")
            #expect(try await shop.insertGrants([("b", Self.seats)], isOperatorDecision: true) == ["b"])

            #expect(try await shop.insertGrant("a", Self.period))
            #expect(try await shop.faults() == [])
        }
    }

    /// The first proof was a receipt: by its line item it was taken for a name of the period, or for a renewal.
    @Test(arguments: ["restored", "renewal", "no_order"])
    func whatIsLearntToBeSeatsIsJudgedAnew(before: String) async throws {
        try await open { shop in
            try await shop.insertUnclaimed([("b", Self.bareSeats)], reason: before)
            #expect(try await shop.count("counterfoil.payment_states where state = 'restored'") == 1)

            try await shop.insertUnclaimed([("b", Self.seats)], reason: "seats_added")

            #expect(try await states(shop) == ["(1,granted,,d)", "(2,unclaimed,seats_added,)"])
            try await shop.insertUnclaimed([("b", Self.bareSeats)], reason: "restored")
            #expect(try await states(shop) == ["(1,granted,,d)", "(2,unclaimed,seats_added,)"])
        }
    }

    /// Its account takes it over from the stranger who showed it first.
    @Test func whatSeemedToBeAnothersIsTakenOver() async throws {
        try await Shop.open { shop in
            try await shop.order("a", product: "plus", account: "bob")
            try await shop.order("b", product: "plus")
            try await shop.insertUnclaimed([("a", Self.bareSeats)], reason: "owner_mismatch")

            try await shop.insertUnclaimed([("b", Self.seats)], reason: "seats_added")

            #expect(try await states(shop) == ["(2,unclaimed,seats_added,)"])
            #expect(try await shop.value("select account_id from counterfoil.payments") == "ann")
            #expect(try await shop.readLedger("b", Self.bareSeats) == LedgerFacts(isAddition: true, orderState: .open))
            #expect(try await !shop.insertGrant("b", Self.bareSeats))
        }
    }

    @Test func theReasonStays() async throws {
        try await open { shop in
            try await shop.insertUnclaimed([("b", Self.seats)], reason: "seats_added")

            for reason in ["null", "'unknown'"] {
                let refusal = try await Refusal.of {
                    _ = try await shop.admin.execute(
                        "update counterfoil.payments set additional_reason = \(reason) where transaction_id = '2'")
                }
                #expect(refusal == Refusal("23001", "the_ledger_is_append_only"))
            }
        }
    }

    // MARK: Refunds

    /// By a signed transaction, or by a receipt that doesn't know the reason.
    @Test(arguments: [true, false])
    func aRefundOfTheSeatsLeavesThePeriod(isSigned: Bool) async throws {
        try await open { shop in
            try await shop.insertUnclaimed([("b", Self.seats)], reason: "seats_added")

            try await shop.insertRevocation(isSigned ? Self.seats : Self.bareSeats, at: 10)

            #expect(try await states(shop) == ["(1,granted,,d)", "(2,taken_back,seats_added,)"])
        }
    }

    @Test func aRefundOfThePeriodLeavesTheSeats() async throws {
        try await open { shop in
            try await shop.insertUnclaimed([("b", Self.seats)], reason: "seats_added")

            try await shop.insertRevocation(Self.payment("1", isAddition: true), at: 10)

            #expect(try await states(shop) == ["(1,refunded,,d)", "(2,unclaimed,seats_added,)"])
        }
    }

    // MARK: Imports

    @Test func seatsAreImportedBesideTheirPeriod() async throws {
        try await open { shop in
            try await shop.insertUnclaimed([("b", Self.seats)], reason: "seats_added")

            let outcome = try await shop.rows(
                """
                select outcome from counterfoil.import_grants('\(Shop.bundle)', 'production', jsonb_build_array(jsonb_build_object(
                    'order_id', 'b', 'account_id', 'ann', 'product_id', 'plus', 'product_kind', 'auto_renewable',
                    'transaction_id', '2', 'original_transaction_id', '1', 'web_order_line_item_id', '9',
                    'purchased_at', '2025-01-01Z')))
                """)

            #expect(outcome == ["(imported)"])
            #expect(try await states(shop) == ["(1,granted,,d)", "(2,granted,,b)"])
        }
    }
}
