// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CommandSupport
import Postgres
import Schema
import Verification
import VerificationQueue

struct PaymentsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "payments",
        abstract: "Shows what became of payments, and asks Apple about one.",
        subcommands: [PaymentsShowCommand.self, PaymentsAskCommand.self]
    )

    static func rows(
        _ transaction: String, of bundle: String?, _ connection: PostgresConnection
    ) async throws -> [OutputValue] {
        try await connection.execute(SQLFile.showPayment.statement, [.text(transaction), .text(bundle)]).map { OutputValue($0) }
    }
}

struct PaymentsShowCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Shows what the ledger has of a transaction: the order that it paid for, or why it paid for none."
    )

    @Argument(help: "Apple's transaction id.")
    var transaction: String

    @OptionGroup var output: OutputOptions

    func run() async throws {
        let found = try await Assembly().withConnection { try await PaymentsCommand.rows(transaction, of: nil, $0) }
        guard let first = found.first else {
            let name = OutputValue.text(transaction).plainText
            throw CommandFailure(
                .failure, "the ledger knows no transaction \(name): counterfoil payments ask --bundle BUNDLE \(name) asks Apple")
        }
        found.count == 1 ? output.show(first) : output.list(found, nothing: "")
    }
}

struct PaymentsAskCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "ask",
        abstract: "Asks Apple about one transaction, and records what Apple signed.",
        discussion: """
            The answer is recorded as a notification would have told it: a refund, or a payment that no client showed. An unrefunded answer \
            reverses no refund. The call counts against the app's budget, and needs the app's key of the App Store Server API. Source: \
            appstoreserverapi/get-transaction-info.
            """
    )

    @Argument(help: "Apple's transaction id.")
    var transaction: String

    @Option(help: "The app. It is needed for a transaction that the ledger doesn't know.")
    var bundle: String?

    @Option(help: "production or sandbox. Default: where the ledger knows it; else production, then sandbox.")
    var environment: AppStoreEnvironment?

    @OptionGroup var output: OutputOptions

    func run() async throws {
        let assembly = try Assembly()
        try await assembly.withPool { pool in
            let before = try await pool.withConnection { try await PaymentsCommand.rows(transaction, of: bundle, $0) }
            guard let app = bundle ?? before.first.map({ $0["bundle_id"].plainText }) else {
                throw CommandFailure(.usage, "the ledger doesn't know this transaction: name its app by --bundle")
            }
            let place = environment ?? before.first.flatMap { AppStoreEnvironment(rawValue: $0["environment"].plainText) }
            let fetched = try await TransactionFetch(assembly: assembly, pool: pool).fetch(
                TransactionID(rawValue: transaction), of: BundleID(rawValue: app), in: place)
            let told = StoreNotification(
                type: "ASKED", bundleID: BundleID(rawValue: app), environment: fetched.transaction.environment,
                contents: .transaction(fetched.transaction, signedAt: nil, text: ""))
            let recorded = try await SettlementStore(pool: pool, workerID: WorkerID(rawValue: 0)).record([
                SubscriptionWord(status: nil, told: told)
            ])
            let after = try await pool.withConnection { try await PaymentsCommand.rows(transaction, of: app, $0) }
            guard let known = after.first(where: { $0["environment"].plainText == fetched.transaction.environment.rawValue }) else {
                throw CommandFailure(
                    .failure,
                    recorded == 0
                        ? "Apple knows it, and the app doesn't take it: a sandbox purchase, or facts that can't be kept"
                        : "Apple knows it, and this customer didn't pay for it: nothing is recorded")
            }
            output.show(known)
        }
    }
}
