// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Testing
import Verification

/// What it takes to assign a payment although something stands against it.
@Suite struct OverrulingTests {
    @Test func theStrictestCounts() {
        #expect(Objection.overruling([]) == .operatorPlainly)
        #expect(Objection.overruling([.beforeOrder, .addedSeats]) == .operatorPlainly)
        #expect(Objection.overruling([.beforeOrder, .noToken]) == .operatorByOverride)
        #expect(Objection.overruling([.noToken, .takenBack, .beforeOrder]) == .nobody)
    }

    /// Today's obstacles, and what an operator may go over. Nothing becomes easier but a payment of an unknown ownership.
    @Test(arguments: ObjectionTests.rows)
    func itIsAsTodayExceptForNamedRows(_ row: ObjectionRow) {
        var facts = FitCase()
        row.arrange(&facts)
        let payment = facts.payment
        let obstacles = AssignmentObstacle.all(
            for: facts.transaction, kind: payment.kind, facts: payment.ledger ?? LedgerFacts(orderState: .open),
            order: facts.order, policy: facts.policy, faults: facts.faults)

        let today: Objection.Overruling =
            if obstacles.isEmpty {
                .operatorPlainly
            } else {
                obstacles.allSatisfy(\.canBeOverridden) ? .operatorByOverride : .nobody
            }
        let expected: Objection.Overruling =
            switch row.name {
            // Nobody knows who paid: an operator may.
            case "unknownOwnership": .nobody
            // Neither its items nor its refunds are read.
            case "advancedCommerce": .operatorPlainly
            default: row.overruling
            }
        #expect(today == expected)
    }
}
