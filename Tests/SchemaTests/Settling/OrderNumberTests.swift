// SPDX-License-Identifier: Apache-2.0

import Postgres
import TestSupport
import Testing

/// The database's own numbers of orders: jobs, the ledger, the history and the feed name orders by them.
@Suite struct OrderNumberTests {
    @Test func aJobHasTheNumberOfItsOrder() async throws {
        try await Shop.open { shop in
            for order in ["a", "b"] { try await shop.order(order) }

            try await shop.upload("a")
            // By a worker that names another order's number, and by one that names none.
            _ = try await shop.worker.execute(
                """
                insert into counterfoil.jobs (order_id, order_number, proof, lane)
                values ('b', \(orderNumber("a")), 'eyJ', 1)
                """)
            _ = try await shop.worker.execute(
                "insert into counterfoil.jobs (order_id, kind, transaction_id, lane) values ('b', 'finish', '1', 1)")

            #expect(
                try await shop.rows(
                    """
                    select j.order_id, j.kind, o.order_id
                    from counterfoil.jobs j
                    left join counterfoil.orders o on o.number = j.order_number
                    order by j.id
                    """) == ["(a,verify,a)", "(b,verify,b)", "(b,finish,b)"])
        }
    }

    @Test func aFollowUpOfAnUnknownOrderIsRefused() async throws {
        try await Shop.open { shop in
            let refusal = try await Refusal.of {
                _ = try await shop.worker.execute(
                    "insert into counterfoil.jobs (order_id, kind, transaction_id, lane) values ('x', 'finish', '1', 1)")
            }

            #expect(refusal == Refusal("23503", "job_names_a_known_order"))
        }
    }

    @Test func theLedgerNamesOrdersByTheirIDs() async throws {
        try await Shop.open { shop in
            for order in ["a", "b"] { try await shop.order(order) }
            try await shop.insertUnclaimed([("b", Payment(id: "1"))])
            try #require(try await shop.insertGrant("a", Payment(id: "1")))
            try #require(try await shop.insertGrant("b", Payment(id: "2")))
            try await shop.insertTold(Payment(id: "3"), reason: "no_order")

            #expect(
                try await shop.rows("select transaction_id, order_id, shown_by from counterfoil.ledger order by 1")
                    == ["(1,a,b)", "(2,b,b)", "(3,,)"])
        }
    }
}
