// SPDX-License-Identifier: Apache-2.0

import AppStoreSimulator
import FoundationEssentials
import Postgres
import TestSupport
import Testing

/// Apple is away for long, in units of the delays between attempts: a busy hour, compressed.
@Suite struct OutageTests {
    /// How a proof of the outage comes to a verdict.
    fileprivate enum Way: CaseIterable {
        case verifyReceipt
        case confirmation
        case bareID
    }

    /// Orders of each way, of as many accounts.
    private static let orders = 20

    private static let delays = [
        "COUNTERFOIL_RETRY_DELAY_CAP": "2s", "COUNTERFOIL_ATTEMPT_DEADLINE": "2s", "COUNTERFOIL_LEASE_DURATION": "10s",
    ]

    @Test(.timeLimit(.minutes(5)), arguments: [Fault.http(code: 503), .stall])
    func afterALongOutageEveryOrderIsFulfilledWithinThreeAttempts(fault: Fault) async throws {
        try await AppStoreSimulator.withRunning { simulator in
            try await Shop.run(simulator: simulator) { shop in
                try await shop.prepare(simulator)
                // Grants of before, of which Apple can't be told.
                simulator.setFaults(.always(fault), for: .finishTransaction)
                try await shop.sell(Self.orders, by: [.confirmation], before: true, simulator)

                let worker = try shop.changes(simulator).merging(Self.delays) { $1 }
                try await shop.whileWorking(worker) { _ in
                    try await shop.wait(
                        until: "not exists (select from counterfoil.orders o where o.state <> 'fulfilled')")
                    for endpoint in [Endpoint.verifyReceipt, .getTransactionInfo] {
                        simulator.setFaults(.always(fault), for: endpoint)
                    }
                    try await shop.sell(Self.orders, by: Way.allCases, simulator)
                    try await shop.wait(
                        until: """
                            (select count(*) from counterfoil.gates g where g.closed_by = 'breaker' and g.failed_probes >= 3)
                                = 3
                            """)
                    for endpoint in Endpoint.allCases { simulator.setFaults(FaultPlan(), for: endpoint) }
                    try await shop.wait(until: "not exists (select from counterfoil.jobs)")
                }

                let outcome = try await shop.outcome()
                #expect(outcome.fulfilled == Self.orders * (1 + Way.allCases.count))
                #expect(outcome.others == 0)
                #expect(outcome.mostAttempts <= 3, "\(outcome.worst)")
                #expect(simulator.finishedTransactions.count == outcome.fulfilled)
            }
        }
    }
}

extension Shop {
    /// Everything is confirmed by Apple, and Apple is told of each grant.
    fileprivate func prepare(_ simulator: AppStoreSimulator) async throws {
        simulator.registerApp(Self.bundle)
        try FileManager.default.createDirectory(atPath: folder.path + "/credentials", withIntermediateDirectories: true)
        _ = try folder.write(simulator.apiKey().credential.utf8, to: "credentials/default.server-api-key")
        try await execute("update counterfoil.apps set confirm_after = '0', finish_transactions = true")
    }

    /// What a worker needs beyond ``environment``.
    fileprivate func changes(_ simulator: AppStoreSimulator) throws -> [String: String] {
        [
            "COUNTERFOIL_SERVER_API_PRODUCTION_URL": "https://localhost:\(simulator.productionPort)",
            "COUNTERFOIL_SERVER_API_SANDBOX_URL": "https://localhost:\(simulator.sandboxPort)",
            "COUNTERFOIL_CREDENTIALS_DIRECTORY": folder.path + "/credentials",
        ]
    }

    /// Customers pay for orders of each way, an account each, and all proofs come in at one moment.
    fileprivate func sell(
        _ count: Int, by ways: [OutageTests.Way], before: Bool = false, _ simulator: AppStoreSimulator
    ) async throws {
        var orders: [String] = []
        var proofs: [String] = []
        var tokens: [String] = []
        for way in ways {
            for number in 0..<count {
                let token = UUID()
                let transaction = SimulatedTransaction(
                    productId: Self.product, bundleId: Self.bundle, appAccountToken: token)
                simulator.remember([transaction])
                orders.append("\(before ? "before" : "meanwhile")-\(way)-\(number)")
                proofs.append(try proof(of: transaction, by: way))
                tokens.append(token.uuidString)
            }
        }
        let parameters: [PostgresParameter] = [
            .text(Self.bundle), .text(Self.product), .textArray(orders), .textArray(proofs), .textArray(tokens),
        ]
        try await database.withConnection { connection in
            _ = try await connection.execute(
                """
                select s.order_id
                from unnest($3::text[], $4::text[], $5::text[]) as o (id, proof, token)
                cross join lateral counterfoil.submit(o.id, $1::text, $2::text, 'account of ' || o.id, o.proof, 1, o.token::uuid) s
                """, parameters)
        }
    }

    private func proof(of transaction: SimulatedTransaction, by way: OutageTests.Way) throws -> String {
        switch way {
        case .verifyReceipt:
            try SimulatedReceipt(bundleId: Self.bundle, transactions: [transaction], signedBy: authority).base64
        case .confirmation: try transaction.signedTransaction(by: authority)
        case .bareID: transaction.transactionId
        }
    }

    /// What came of all orders.
    fileprivate func outcome() async throws -> (fulfilled: Int, others: Int, mostAttempts: Int, worst: String) {
        try await database.withConnection { connection in
            let row = try await connection.execute(
                """
                select
                    count(*) filter (where o.state = 'fulfilled'), count(*) filter (where o.state <> 'fulfilled'),
                    (select max(a.attempt) from counterfoil.attempts a),
                    (
                        select string_agg(
                            format('%s %s #%s %s %s', a.order_id, a.claimed_at::time, a.attempt, a.disposition, a.message),
                            e'\\n' order by a.job_id, a.lease_token)
                        from counterfoil.attempts a
                        where a.job_id = (select m.job_id from counterfoil.attempts m order by m.attempt desc limit 1)
                    )
                from counterfoil.orders o
                """)[0]
            return (Int(try row.int64(0)), Int(try row.int64(1)), Int(try row.int32(2)), try row.string(3))
        }
    }
}
