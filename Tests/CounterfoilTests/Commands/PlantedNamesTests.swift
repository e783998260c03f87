// SPDX-License-Identifier: Apache-2.0

import AppStoreSimulator
import Postgres
import TestSupport
import Testing

@testable import CommandSupport

/// The built program in a database where a stranger made functions and operators of the server's names. `SchemaTests` looks at each
/// statement; here workers and people do what they do, on rows.
@Suite struct PlantedNamesTests {
    private func loseSettings(_ shop: Shop) async throws {
        try await shop.execute(
            """
            do $$
            declare
                name text;
            begin
                foreach name in array array['owner', 'backend', 'worker', 'reader'] loop
                    execute format('alter role counterfoil_%s in database %I reset all', name, current_database());
                end loop;
            end
            $$
            """)
    }

    /// As after a restore: the roles have no settings, until the schema is migrated again.
    @Test(.timeLimit(.minutes(5)))
    func noCommandAndNoWorkerCallsOne() async throws {
        try await Shop.run { shop in
            let wrongProof = try shop.signedTransaction(forged: .payloadSwapped)
            let proofs = try (shop.signedTransaction(), shop.receipt().base64)
            try await loseSettings(shop)
            try await shop.database.withConnection(isPinned: true) { admin in
                let planted = try await PlantedNames.plant(by: admin)
                func expectNoCall(after act: String, sourceLocation: SourceLocation = #_sourceLocation) async throws {
                    #expect(try await planted.calls(admin) == 0, "\(act)", sourceLocation: sourceLocation)
                }

                try await shop.submit("paid", proof: proofs.0)
                try await shop.submit("waiting", proof: proofs.1)
                try await shop.submit("wrong", proof: wrongProof)
                try await shop.whileWorking { worker in
                    try await worker.log.line(containing: "order.id=paid")
                    try await worker.log.line(containing: "order.id=wrong")
                }
                try await expectNoCall(after: "worker")

                let state = try await admin.execute("select o.state from counterfoil.orders o where o.order_id = 'paid'")
                #expect(try state[0].string(0) == "fulfilled")
                for arguments in [
                    ["check"], ["orders", "list"], ["orders", "show", "paid"], ["orders", "refund", "paid", "--why", "x"],
                    ["orders", "refund", "paid", "--reversed", "--why", "x"], ["jobs", "list"],
                    ["jobs", "discard", "--order", "waiting", "--dry-run"], ["jobs", "discard", "--order", "waiting", "--why", "x"],
                    ["jobs", "retry", "--state", "discarded", "--why", "x"],
                    ["jobs", "retry", "--reason", "bad_signature", "--since", "2026-01-01", "--why", "x"],
                    ["apps", "list"], ["apps", "add", Shop.bundle, "--sandbox", "allow"], ["apps", "add-sandbox-account", Shop.bundle, "ann"],
                    ["products", "add", Shop.bundle, "gems", "--kind", "consumable"], ["gates"],
                    ["gates", "close", "1", "--why", "x"], ["gates", "open", "1", "--why", "x"], ["dashboard", "--once"],
                ] {
                    let ended = try await shop.run(arguments)
                    #expect(ended.status.isSuccess, "\(arguments): \(ended.errors)")
                    try await expectNoCall(after: "\(arguments)")
                }
                try await shop.migrate()
                try await expectNoCall(after: "migrate")
                for environment in [shop.administration, shop.environment] {
                    let ended = try await Program.run(["doctor"], environment: environment)
                    #expect(ended.output.contains("functions in the schema public"), "\(ended.output)\(ended.errors)")
                    try await expectNoCall(after: "doctor")
                }
                let assigned = try await shop.run(["orders", "assign", "1", "wrong", "--why", "x"])
                // Apple would have to be asked, and there is no key.
                #expect(assigned.status == .exited(ExitStatus.temporaryFailure.rawValue), "\(assigned.errors)")
                try await expectNoCall(after: "assign")
            }
        }
    }
}
