// SPDX-License-Identifier: Apache-2.0

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

    /// The guard in SQL names the same facts: `is_clear` of `payment_facts.sql`.
    @Test(arguments: ObjectionTests.rows)
    func theLedgerRefusesSomeUnlessAnOperatorDecided(_ row: ObjectionRow) {
        let refused = ["anotherOwner", "advancedCommerce", "addedSeats", "partlyRefunded", "boughtAgain"]

        #expect(row.objection.isRefusedByTheLedger == refused.contains(row.name))
    }
}
