// SPDX-License-Identifier: Apache-2.0

import AppStoreSimulator
import FoundationEssentials
import Postgres
import TestSupport
import Testing
import Verification

@testable import counterfoil

/// The operator's commands, as the built program carries them out.
@Suite struct OperatorCommandsTests {
    @Test(.timeLimit(.minutes(3)))
    func aPaymentIsAssignedAndRefundedByHand() async throws {
        try await Shop.run { shop in
            try await shop.review("o", transaction: "1")

            let assigned = try await shop.succeed(["orders", "assign", "1", "o", "--why", "she called", "--operator", "eve"])
            let again = try await shop.run(["orders", "assign", "1", "o", "--why", "she called"])
            let refunded = try await shop.succeed(["orders", "refund", "o", "--why", "she changed her mind", "--operator", "eve"])

            #expect(assigned == "transaction 1 is granted to order o\n")
            #expect(again.status == .exited(1))
            #expect(again.errors == "counterfoil: the transaction was granted to order o\n")
            #expect(refunded == "transaction 1 was taken back: order o is refunded\n")
            let story = try await shop.succeed(["orders", "show", "o"])
            #expect(story.contains("assigned"))
            #expect(story.contains("eve"))
            #expect(story.contains("she changed her mind"))
            #expect(try await shop.succeed(["check"]).hasSuffix("checks passed\n"))
        }
    }

    @Test(.timeLimit(.minutes(3)))
    func anAssignmentThatTheDatabaseRefusesNamesTheCauseAndChangesNothing() async throws {
        try await Shop.run { shop in
            try await shop.review("o", transaction: "1")
            try await shop.execute(
                "alter table counterfoil.payments add constraint stock_is_not_negative check (granted_at is null)")

            let refused = try await shop.run(["orders", "assign", "1", "o", "--why", "x"])

            #expect(refused.status == .exited(1))
            #expect(refused.errors.contains("does a trigger or a constraint stand in its way? 23514"))
            #expect(refused.errors.contains("stock_is_not_negative"))
            #expect(try await shop.order("o").state == "review")
            try await shop.execute("alter table counterfoil.payments drop constraint stock_is_not_negative")
            try await shop.succeed(["orders", "assign", "1", "o", "--why", "x"])
        }
    }

    @Test(.timeLimit(.minutes(3)))
    func anotherAccountsPaymentNeedsAnOverride() async throws {
        try await Shop.run { shop in
            try await shop.review("bobs", transaction: "1", account: "bob")
            try await shop.execute(
                """
                insert into counterfoil.orders (order_id, bundle_id, product_id, account_id)
                values ('anns', '\(Shop.bundle)', 'coins', 'ann')
                """)

            let refused = try await shop.run(["orders", "assign", "1", "anns", "--why", "x"])
            let overridden = try await shop.succeed(["orders", "assign", "1", "anns", "--why", "x", "--override"])

            #expect(refused.status == .exited(1))
            #expect(refused.errors.contains("--override"))
            #expect(overridden.contains("although the payment seems to be another account's"))
            #expect(try await shop.order("anns").state == "fulfilled")
        }
    }

    @Test(.timeLimit(.minutes(3)))
    func whatIsDoneByHandSaysWhy() async throws {
        try await Shop.run { shop in
            for arguments in [
                ["orders", "assign", "1", "o"], ["orders", "refund", "o"], ["jobs", "retry", "--all"], ["jobs", "discard", "1"],
                ["gates", "open", "1"],
            ] {
                let ended = try await shop.run(arguments)

                #expect(ended.status == .exited(64))
                #expect(ended.errors.contains("--why"))
            }
        }
    }

    @Test(.timeLimit(.minutes(3)))
    func anUnknownTransactionIsAskedOfApple() async throws {
        try await AppStoreSimulator.withRunning { simulator in
            try await Shop.run(simulator: simulator) { shop in
                try await shop.useServerAPI(simulator)
                let bought = SimulatedTransaction(productId: Shop.product, bundleId: Shop.bundle)
                simulator.remember([bought])
                try await shop.submit("o", proof: "eyJ nothing")

                // With the credentials and the role that workers have.
                let environment = shop.environment.merging(shop.serverAPI(simulator)) { $1 }
                let assigned = try await Program.run(
                    ["orders", "assign", bought.transactionId, "o", "--why", "he sent a screenshot"], environment: environment)
                let others = SimulatedTransaction(productId: "gems", bundleId: Shop.bundle)
                simulator.remember([others])
                try await shop.submit("p", proof: "eyJ nothing")
                let refused = try await Program.run(
                    ["orders", "assign", others.transactionId, "p", "--why", "x"], environment: environment)
                let unknown = try await Program.run(
                    ["orders", "assign", "999999", "o", "--why", "x"], environment: environment)

                #expect(assigned.output == "transaction \(bought.transactionId) is granted to order o\n", "\(assigned.errors)")
                #expect(refused.status == .exited(1))
                #expect(refused.errors.contains("give --override if it is right all the same"), "\(refused.errors)")
                #expect(unknown.status == .exited(1))
                #expect(unknown.errors.contains("Apple doesn't know it either"))
                #expect(try await shop.order("o").state == "fulfilled")
            }
        }
    }

    /// The customer forwards Apple's mail.
    @Test(.timeLimit(.minutes(3)))
    func anOrderIdOnApplesMailShowsWhatWasPaidAndForWhichOrder() async throws {
        try await AppStoreSimulator.withRunning { simulator in
            try await Shop.run(simulator: simulator) { shop in
                try await shop.useServerAPI(simulator)
                let token = UUID()
                try await shop.execute(
                    """
                    insert into counterfoil.orders (order_id, bundle_id, product_id, account_id, app_account_token)
                    values ('lost', '\(Shop.bundle)', 'coins', 'ann', '\(token)'), ('other', '\(Shop.bundle)', 'coins', 'ann', null)
                    """)
                let bought = SimulatedTransaction(productId: Shop.product, bundleId: Shop.bundle, appAccountToken: token)
                simulator.remember([bought])
                simulator.setOrder("MK2JQ5X4LN", transactions: [bought.transactionId])
                let environment = shop.environment.merging(shop.serverAPI(simulator)) { $1 }
                func run(_ arguments: String...) async throws -> Program.Ended {
                    try await Program.run(["orders"] + arguments, environment: environment)
                }

                let before = try await run("look-up", "MK2JQ5X4LN", "--bundle", Shop.bundle)
                let unknown = try await run("look-up", "NOBODYS", "--bundle", Shop.bundle)
                let assigned = try await run("assign", bought.transactionId, "lost", "--why", "Apple's mail")
                let after = try await run("look-up", "MK2JQ5X4LN", "--bundle", Shop.bundle, "--json")

                #expect(before.output.contains(bought.transactionId), "\(before.errors)")
                #expect(before.output.contains("not seen") && before.output.contains("lost other"))
                #expect(unknown.status == .exited(1))
                #expect(unknown.errors == "counterfoil: Apple knows no such order of this app\n")
                #expect(assigned.status.isSuccess, "\(assigned.errors)")
                #expect(
                    after.output.contains("\"state\":\"granted\"") || after.output.contains("\"state\": \"granted\""),
                    "\(after.output)")
                #expect(after.output.contains("lost") && !after.output.contains("lost other"))
            }
        }
    }

    /// Apple signed it: an operator decides about the fact that can't be read, and about no other.
    @Test(.timeLimit(.minutes(3)))
    func aTransactionWithAFactThatCannotBeReadIsGrantedByAnOverride() async throws {
        try await AppStoreSimulator.withRunning { simulator in
            try await Shop.run(simulator: simulator) { shop in
                try await shop.useServerAPI(simulator)
                var odd = SimulatedTransaction(productId: Shop.product, bundleId: Shop.bundle)
                odd.quantity = 0
                var nameless = SimulatedTransaction(productId: "", bundleId: Shop.bundle)
                nameless.quantity = 0
                var forged = SimulatedTransaction(productId: Shop.product, bundleId: Shop.bundle)
                forged.quantity = 0
                simulator.remember([odd, nameless, forged])
                var program = TransactionProgram()
                program.forged = .signatureByOtherKey
                simulator.setProgram(program, forTransaction: forged.transactionId)
                try await shop.submit("o", proof: "eyJ nothing")
                let environment = shop.environment.merging(shop.serverAPI(simulator)) { $1 }
                func assign(_ transaction: SimulatedTransaction, _ options: String...) async throws -> Program.Ended {
                    try await Program.run(
                        ["orders", "assign", transaction.transactionId, "o", "--why", "x"] + options, environment: environment)
                }

                let withoutAnId = try await assign(nameless, "--override")
                let underAForgedSignature = try await assign(forged, "--override")
                let refused = try await assign(odd)
                let granted = try await assign(odd, "--override")

                #expect(withoutAnId.status == .exited(1))
                #expect(withoutAnId.errors.contains("its productId can't be read"), "\(withoutAnId.errors)")
                #expect(underAForgedSignature.status == .exited(75))
                #expect(underAForgedSignature.errors.contains("fails with bad_signature"), "\(underAForgedSignature.errors)")
                #expect(refused.status == .exited(1))
                #expect(refused.errors.contains("the quantity can't be read; give --override"), "\(refused.errors)")
                #expect(
                    granted.output == """
                        transaction \(odd.transactionId) is granted to order o, although in the transaction that Apple signed, the \
                        quantity can't be read

                        """, "\(granted.errors)")
                #expect(try await shop.order("o").state == "fulfilled")
            }
        }
    }

    @Test(.timeLimit(.minutes(3)))
    func jobsAreRetriedAndDiscardedInBulkAfterADryRun() async throws {
        try await Shop.run { shop in
            for order in ["a", "b", "c"] {
                try await shop.submit(order, proof: "eyJ \(order)")
            }
            try await shop.execute("update counterfoil.jobs set reason = 'app_store_unavailable' where order_id <> 'c'")

            let planned = try await shop.succeed(["jobs", "discard", "--reason", "app_store_unavailable", "--dry-run"])
            let untouched = try await shop.succeed(["jobs", "list", "--state", "discarded", "--json"])
            let discarded = try await shop.succeed(["jobs", "discard", "--reason", "app_store_unavailable", "--why", "x"])
            let retried = try await shop.succeed(["jobs", "retry", "--state", "discarded", "--why", "y", "--json"])

            #expect(planned.contains("app_store_unavailable"))
            #expect(untouched == "[]\n")
            #expect(discarded == "2 jobs are discarded\n")
            #expect(retried == "{\"jobs_retried\":2,\"proofs_judged_again\":0}\n")
        }
    }

    /// What came to match after somebody had looked is left alone.
    @Test(.timeLimit(.minutes(3)))
    func anActOnASetChangesNoOtherJob() async throws {
        try await Shop.run { shop in
            for order in ["a", "b", "c"] { try await shop.submit(order, proof: "eyJ \(order)") }
            let file = shop.folder.path + "/set"
            func set(_ reason: String, _ orders: String) async throws {
                try await shop.execute("update counterfoil.jobs set reason = '\(reason)' where order_id in (\(orders))")
            }
            try await set("app_store_unavailable", "'a', 'b'")

            let looked = try await shop.run(["jobs", "discard", "--reason", "app_store_unavailable", "--dry-run", "--save", file])
            let again = try await shop.run(["jobs", "discard", "--all", "--dry-run", "--save", file])
            // One comes to match, another one doesn't any more.
            try await set("app_store_unavailable", "'c'")
            try await set("rate_limited", "'b'")
            let acted = try await shop.succeed(
                ["jobs", "discard", "--reason", "app_store_unavailable", "--only", file, "--why", "x"])
            let back = try await shop.succeed(["jobs", "retry", "--only", file, "--why", "x", "--json"])
            let noSet = try await shop.run(["jobs", "retry", "--only", shop.folder.path + "/root.der", "--why", "x"])

            #expect(looked.status.isSuccess && looked.errors.contains("The ids of 2 jobs are in \(file)"), "\(looked.errors)")
            #expect(again.status == .exited(1) && again.errors.contains("can't be made"))
            #expect(acted == "1 jobs are discarded\n")
            // The discarded one and the one that waits for another reason; not the third.
            #expect(back == "{\"jobs_retried\":2,\"proofs_judged_again\":0}\n")
            #expect(noSet.status == .exited(65))
            try await shop.wait(until: "(select reason = 'app_store_unavailable' from counterfoil.jobs where order_id = 'c')")
        }
    }

    @Test(.timeLimit(.minutes(3)))
    func aFilterMustBeNamed() async throws {
        try await Shop.run { shop in
            let nothing = try await shop.run(["jobs", "retry", "--why", "x"])
            let both = try await shop.run(["jobs", "retry", "--all", "--order", "o", "--why", "x"])
            let unknown = try await shop.run(["jobs", "retry", "--reason", "nonsense", "--why", "x"])
            let running = try await shop.run(["jobs", "retry", "--state", "running", "--why", "x"])

            #expect(nothing.status == .exited(64))
            #expect(running.status == .exited(64))
            #expect(both.status == .exited(64))
            #expect(unknown.status == .exited(64))
        }
    }

    @Test(.timeLimit(.minutes(3)))
    func keptProofsAreJudgedAgainByReason() async throws {
        try await Shop.run { shop in
            let proof = try shop.signedTransaction()
            try await shop.execute(
                """
                insert into counterfoil.orders (order_id, bundle_id, product_id, account_id, state, reason)
                values ('o', '\(Shop.bundle)', 'coins', 'ann', 'rejected', 'untrusted_root')
                """)
            try await shop.execute(
                """
                insert into counterfoil.proofs (job_id, order_id, account_id, proof, proof_hash, reason)
                select 900000, 'o', 'ann', p, sha256(p::bytea), 'untrusted_root'
                from (select '\(proof)' as p) x
                """)
            let retry = ["jobs", "retry", "--reason", "untrusted_root", "--since", "2026-01-01"]

            let planned = try await shop.succeed(retry + ["--dry-run"])
            let done = try await shop.succeed(retry + ["--why", "the root was missing"])
            try await shop.whileWorking { worker in try await worker.log.line(containing: "order.id=o") }

            #expect(planned.contains("proofs of orders in rejected"))
            #expect(done == "0 jobs are available, 1 kept proofs are judged again\n")
            #expect(try await shop.order("o").state == "fulfilled")
        }
    }

    @Test(.timeLimit(.minutes(3)))
    func anOrdersStoryIsToldInPlainWords() async throws {
        try await Shop.run { shop in
            try await shop.submit("o", proof: shop.signedTransaction(forged: .payloadSwapped))
            try await shop.whileWorking { worker in try await worker.log.line(containing: "order.id=o") }

            let story = try await shop.succeed(["orders", "show", "o"])

            #expect(story.contains("the proof was changed after it was signed"))
            #expect(story.contains("uploaded"))
            #expect(story.contains("attempt 1 of job"))
        }
    }

    @Test(.timeLimit(.minutes(3)))
    func theDashboardFitsATerminal() async throws {
        try await Shop.run { shop in
            try await shop.submit("o", proof: "eyJ")

            let shown = try await Program.run(
                ["dashboard", "--once"],
                environment: ["COUNTERFOIL_DATABASE_URL": shop.database.url(user: "counterfoil_reader")])
            let json = try await shop.succeed(["dashboard", "--json"])

            #expect(shown.status.isSuccess, "\(shown.errors)")
            let lines = shown.output.split(separator: "\n", omittingEmptySubsequences: false)
            #expect(lines.allSatisfy { $0.count <= 80 })
            #expect(lines.contains { $0.hasPrefix("jobs") && $0.contains("due") })
            #expect(shown.output.contains("CRITICAL workers: 0 alive"))
            #expect(json.contains(#""waiting_jobs":1"#))
        }
    }

    @Test(.timeLimit(.minutes(3)))
    func allGatesAreShownWithoutASubcommand() async throws {
        try await Shop.run { shop in
            try await shop.succeed(["gates", "close", "1", "--why", "a test"])

            let gates = try await shop.succeed(["gates"])

            #expect(gates.contains("a test"))
        }
    }

    @Test func everyReasonHasAMeaningOfItsOwn() {
        let meanings = Reason.allCases.map(\.meaning)

        #expect(meanings.allSatisfy { $0.count > 8 })
        #expect(Set(meanings).count == meanings.count)
    }
}
