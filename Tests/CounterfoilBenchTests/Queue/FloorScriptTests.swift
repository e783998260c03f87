// SPDX-License-Identifier: Apache-2.0

import Testing
import Verification

@testable import counterfoil_bench

/// What pgbench is given to send.
@Suite struct FloorScriptTests {
    private static func text(_ statements: any PathStatements.Type, _ product: BenchProduct) -> String {
        FloorScript(lanes: [3, 7].map(LaneID.init), batch: 20, product: product, statements: statements).text
    }

    /// A parameter that stays would be a syntax error, or another's value.
    @Test(arguments: BenchProduct.allCases)
    func eachParameterIsFilledIn(_ product: BenchProduct) {
        for statements in [ProductStatements.self, YardstickStatements.self] as [any PathStatements.Type] {
            #expect(Self.text(statements, product).firstMatch(of: /\$[0-9]/) == nil, "\(statements)")
        }
    }

    @Test func theProductSettlesInOneRoundTripAndTheYardstickInThree() {
        #expect(Self.text(ProductStatements.self, .coins).ranges(of: "\\startpipeline").count == 1)
        #expect(Self.text(YardstickStatements.self, .coins).ranges(of: "\\startpipeline").count == 3)
    }

    @Test func originalsAreLockedOnlyOfPaymentsWithAKey() {
        for (statements, name) in [
            (ProductStatements.self as any PathStatements.Type, "/* lock_originals */"),
            (YardstickStatements.self, "/* yardstick_lock_originals */"),
        ] {
            #expect(!Self.text(statements, .coins).contains(name))
            #expect(Self.text(statements, .map).contains(name))
            #expect(Self.text(statements, .map).contains("'original:' || c.paid"))
        }
    }

    /// Else the yardstick would follow the product.
    @Test func theYardstickSendsItsOwnStatements() {
        let names = Self.text(YardstickStatements.self, .map).matches(of: /\/\* (\w+) \*\//).map { String($0.1) }

        #expect(
            names == [
                "yardstick_claim_jobs", "set_lock_timeout", "yardstick_lock_settling_jobs", "yardstick_lock_originals",
                "yardstick_lock_payments", "yardstick_insert_grants", "yardstick_append_attempts",
            ])
    }
}
