// SPDX-License-Identifier: Apache-2.0

import AppStore
import ArgumentParser
import Postgres
import Verification
import VerificationQueue

struct OrdersAssignCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "assign",
        abstract: "Grants a verified payment to an order by hand.",
        discussion: """
            The payment is one that was verified and not granted (counterfoil.paid_not_delivered lists them); any other \
            is asked of the App Store Server API first. A payment that was granted stays where it is. One of another \
            product, of fewer units, of what seems to be another account, from before the ledger or bought anew after a refund \
            needs --override. \
            The settlement's own statements, locks and unique keys are used: no way leads to a second grant.
            """
    )

    @Argument(help: "Apple's id of the transaction.")
    var transaction: String

    @Argument(help: "The shop's id of the order.")
    var order: String

    @Option(help: "Where the payment was made: production or sandbox. Default: where it is found, production first.")
    var environment: AppStoreEnvironment?

    @Flag(help: "Go over a difference of product, quantity or owner, the ledger's start, or a refund before it.")
    var override = false

    @OptionGroup var manual: OperatorOptions

    func run() async throws {
        let assembly = try Assembly()
        let act = try manual.act(assembly)
        let id = TransactionID(rawValue: transaction)
        try await assembly.withPool { pool in
            // Nobody's worker: what is done by hand has no job.
            let store = SettlementStore(pool: pool, workerID: WorkerID(rawValue: 0))
            let order = OrderID(rawValue: order)
            func assign() async throws -> [AssignmentObstacle] {
                do {
                    return try await store.assign(id, in: environment, to: order, overrides: override, by: act)
                } catch OperatorError.notVerified {
                    let fetch = TransactionFetch(assembly: assembly, pool: pool)
                    let fetched = try await fetch.fetch(id, for: order, in: environment)
                    return try await store.assign(
                        id, in: fetched.environment, fetched: fetched, to: order, overrides: override, by: act)
                }
            }

            let overridden: [AssignmentObstacle]
            do {
                overridden = try await assign()
            } catch OperatorError.obstacles(let obstacles) where obstacles.allSatisfy(\.canBeOverridden) {
                throw CommandFailure(
                    .failure, "\(OperatorError.obstacles(obstacles)); give --override if it is right all the same")
            }
            let gap = overridden.isEmpty ? "" : ", although \(OperatorError.obstacles(overridden))"
            print("transaction \(transaction) is granted to order \(order.rawValue)\(gap)")
        }
    }
}

extension AppStoreEnvironment: ExpressibleByArgument {}
