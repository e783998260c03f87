// SPDX-License-Identifier: Apache-2.0

import Postgres
import TestSupport
import Testing
import Verification

@Suite struct ClientActionTests {
    /// An order with what is pending for it, and what the program tells its client.
    private struct Case {
        let state: OrderState
        let reason: Reason?
        /// No job; one that says nothing (`""`); one that waits for a reason.
        let pending: String?
        let action: ClientAction

        static let all: [Case] = {
            var all: [Case] = []
            for state in OrderState.allCases {
                for reason in [nil] + Reason.allCases.map(Optional.some) {
                    for pending in [nil, ""] + Reason.allCases.map({ Optional($0.rawValue) }) {
                        let action = Reason.clientAction(
                            state: state, reason: reason, hasPendingJob: pending != nil,
                            pendingReason: pending.flatMap(Reason.init(rawValue:))
                        )
                        all.append(Case(state: state, reason: reason, pending: pending, action: action))
                    }
                }
            }
            return all
        }()
    }

    /// The view and the program tell a client the same, whatever an order and its job are.
    @Test func theDatabaseSaysWhatTheProgramSays() async throws {
        try await Shop.open { shop in
            let cases = Case.all
            let actions = try await shop.admin.execute(
                """
                select counterfoil.client_action(c.state, c.reason, c.pending)
                from unnest($1::text[], $2::text[], $3::text[]) with ordinality as c (state, reason, pending, place)
                order by c.place
                """,
                [
                    .textArray(cases.map(\.state.rawValue)), .textArray(cases.map(\.reason?.rawValue)),
                    .textArray(cases.map(\.pending)),
                ]
            ).map { try $0.string(0) }

            try #require(actions.count == cases.count)
            let differences = zip(cases, actions).filter { $0.action.rawValue != $1 }
            #expect(differences.isEmpty)
        }
    }
}
