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
            the command asks the App Store Server API first.

            A doubtful payment needs --override: another product or fewer units than the order's, probably another account's, \
            without a token that the app's policy asks for, from before the ledger, refunded in part, refunded before as the \
            same purchase, sold through Apple's Advanced Commerce, or of an ownership that Apple doesn't document. So does a \
            payment with facts that can't be read. Where Apple's answer lacks the app, the environment, an id or the product, those \
            of the question and of the order count.

            --override doesn't help if the payment was granted or refunded, if somebody else paid it, if the app doesn't take \
            sandbox purchases from the account, or if the kind of its product isn't known. If Apple reversed a refund, \
            counterfoil orders refund --reversed comes first.

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
            Grant in spite of another product, quantity or owner, a missing token, the ledger's beginning, a refund of a part or \
            before, Advanced Commerce, an unknown ownership, or facts that can't be read.
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
            func assign() async throws -> [Objection] {
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

            let overruled: [Objection]
            do {
                overruled = try await assign()
            } catch OperatorError.objections(let objections) where Objection.overruling(objections) == .operatorByOverride {
                throw CommandFailure(
                    .failure, "\(OperatorError.objections(objections)); give --override if it is right all the same")
            }
            let gap = overruled.isEmpty ? "" : ", although \(OperatorError.objections(overruled))"
            print("transaction \(transaction) is granted to order \(order.rawValue)\(gap)")
        }
    }
}

extension AppStoreEnvironment: ExpressibleByArgument {}
