// SPDX-License-Identifier: Apache-2.0

import AppStore
import ArgumentParser
import CommandSupport
import Postgres
import Verification
import VerificationQueue

struct OrdersAssignCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "assign",
        abstract: "Grants a verified payment to an order, by an operator's decision.",
        discussion: """
            The view counterfoil.paid_not_delivered lists payments that were verified and not granted. For any other payment \
            the command asks the App Store Server API first. A payment that was granted stays with its order. --override is \
            needed if the payment has another product, fewer units or probably another owner, if it is older than the ledger, or \
            if the same purchase was refunded before. --override is needed as well if Apple signed the payment with facts that can't be \
            read; its app, its environment, its product and its ids always must be readable. \
            The command uses the statements, locks and unique keys of settlements, so that no payment is granted twice.
            """
    )

    @Argument(help: "Apple's transaction id of the payment.")
    var transaction: String

    @Argument(help: "The shop's id of the order.")
    var order: String

    @Option(help: "The payment's environment: production or sandbox. Default: both are searched, production first.")
    var environment: AppStoreEnvironment?

    @Flag(
        help: """
            Grant in spite of another product, quantity or owner, of the ledger's beginning, of a refund before, or of facts that \
            can't be read.
            """)
    var override = false

    @OptionGroup var manual: OperatorOptions

    func run() async throws {
        let assembly = try Assembly()
        let act = try manual.act(assembly)
        let id = TransactionID(rawValue: transaction)
        try await assembly.withPool { pool in
            // No worker: an operator's act has no job.
            let store = SettlementStore(pool: pool, workerID: WorkerID(rawValue: 0))
            let order = OrderID(rawValue: order)
            func assign() async throws -> [AssignmentObstacle] {
                do {
                    return try await store.assign(id, in: environment, to: order, overrides: override, by: act)
                } catch OperatorError.notVerified {
                    let fetch = TransactionFetch(assembly: assembly, pool: pool)
                    let fetched = try await fetch.fetch(id, for: order, in: environment)
                    return try await store.assign(
                        id, in: fetched.transaction.environment, fetched: fetched.transaction, faults: fetched.faults, to: order,
                        overrides: override, by: act)
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
