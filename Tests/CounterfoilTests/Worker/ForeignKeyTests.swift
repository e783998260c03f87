// SPDX-License-Identifier: Apache-2.0

import AppStoreSimulator
import FoundationEssentials
import Postgres
import TestSupport
import Testing

/// A key of another Apple account: a worker's process and a simulated App Store.
@Suite struct ForeignKeyTests {
    private static let accounts = ["ann", "bob", "cid"]

    /// Payers in production and in the sandbox, and made-up ids.
    @Test(.timeLimit(.minutes(3)))
    func payersWaitUntilTheKeyIsMendedAndAreGrantedThen() async throws {
        try await AppStoreSimulator.withRunning { simulator in
            try await Shop.run(simulator: simulator) { shop in
                try await shop.useForeignKey(simulator)
                let closed = "closed_by = 'configuration' and why like '%another Apple account or app'"
                let environment = shop.environment.merging(shop.serverAPI(simulator)) { $1 }

                try await shop.whileWorking(shop.serverAPI(simulator)) { _ in
                    // Nobody's gate closes for these.
                    for number in 1...5 {
                        try await shop.submit("bare-\(number)", proof: "70000000000\(number)", account: "eve \(number)")
                    }
                    try await shop.wait(
                        until:
                            "(select count(distinct order_id) from counterfoil.attempts where reason = 'transaction_not_found') = 5"
                    )

                    for account in Self.accounts {
                        try await shop.pay(account, .production, simulator)
                        try await shop.pay(account, .sandbox, simulator)
                    }
                    try await shop.wait(until: "(select count(*) from counterfoil.unfound_payments) = 6")
                    try await shop.wait(until: Shop.allWait(for: "transaction_not_found"))
                    try await shop.wait(until: "not exists (select from counterfoil.gates where state = 'closed')")

                    try await shop.pass()
                    try await shop.wait(until: "(select count(*) from counterfoil.gates where \(closed)) = 2")
                    try await shop.pay("late", .production, simulator)
                    try await shop.wait(until: Shop.allWait(for: "configuration"))

                    let doctor = try await Program.run(["doctor"], environment: environment)
                    let about = doctor.output.split(separator: "\n").filter {
                        $0.contains("App Store Server API of \(Shop.bundle):")
                    }
                    #expect(about.count == 1 && about[0].hasPrefix("wrong"), "\(doctor.output)")
                    #expect(about.first?.contains("the key likely belongs to another Apple account or app") == true)
                    #expect(doctor.status == .exited(1))
                    for gate in ["production", "sandbox"] {
                        try await shop.wait(
                            until: """
                                exists (
                                    select from counterfoil.health h
                                    where h.level = 'critical' and h.finding like '%server_api \(gate)%another Apple account or app'
                                )
                                """)
                    }

                    try shop.writeKey(simulator.apiKey())
                    for _ in 1...20 where try await shop.isClosed() {
                        try await shop.pass()
                        try await shop.wait(seconds: 1, until: "not exists (select from counterfoil.gates where state = 'closed')")
                    }
                    try await shop.pass()
                    try await shop.wait(
                        until: "not exists (select from counterfoil.orders where order_id like 'of %' and state <> 'fulfilled')")
                }

                try await shop.wait(until: "not exists (select from counterfoil.unfound_payments)")
                try await shop.wait(until: "(select count(*) from counterfoil.orders where state = 'fulfilled') = 7")
            }
        }
    }
}

extension Shop {
    /// Everything is confirmed by Apple, by the key of an account that doesn't sell the app.
    fileprivate func useForeignKey(_ simulator: AppStoreSimulator) async throws {
        simulator.registerApp(Self.bundle)
        try writeKey(simulator.apiKey(ofAccount: "another"))
        try await execute("update counterfoil.apps set confirm_after = '0', sandbox_policy = 'allow'")
    }

    fileprivate func writeKey(_ key: SimulatedAPIKey) throws {
        try FileManager.default.createDirectory(atPath: folder.path + "/credentials", withIntermediateDirectories: true)
        _ = try folder.write(key.credential.utf8, to: "credentials/default.server-api-key")
    }

    /// A customer pays, and the client uploads a signed transaction.
    fileprivate func pay(_ account: String, _ environment: SimulatedEnvironment, _ simulator: AppStoreSimulator) async throws {
        let transaction = SimulatedTransaction(productId: Self.product, bundleId: Self.bundle, environment: environment)
        simulator.remember([transaction])
        try await submit(
            "of \(account) in \(environment.rawValue)", proof: try transaction.signedTransaction(by: authority), account: account)
    }

    /// Whether each honest payer's client is told to wait, and for what.
    fileprivate static func allWait(for reason: String) -> String {
        """
        (
            select bool_and((s.state, s.reason, s.client_action) is not distinct from ('open', '\(reason)', 'wait'))
            from counterfoil.order_status s
            where s.order_id like 'of %'
        )
        """
    }

    /// A minute passes.
    fileprivate func pass() async throws {
        try await execute("update counterfoil.unfound_payments set first_asked_at = first_asked_at - interval '1 minute'")
        try await execute("update counterfoil.jobs set run_at = now() where state = 'available'")
        try await execute("update counterfoil.gates set probe_at = now() where state = 'closed'")
    }

    fileprivate func isClosed() async throws -> Bool {
        try await database.withConnection { connection in
            try await !connection.execute("select from counterfoil.gates where state = 'closed'").isEmpty
        }
    }

    /// As ``wait(until:)``, and goes on after some seconds.
    fileprivate func wait(seconds: Int, until condition: String) async throws {
        try await database.withConnection { connection in
            for _ in 0..<(10 * seconds) where try await !connection.execute("select \(condition)")[0].bool(0) {
                _ = try await connection.execute("select pg_sleep(0.1)")
            }
        }
    }
}
