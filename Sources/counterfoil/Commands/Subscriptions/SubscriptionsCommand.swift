// SPDX-License-Identifier: Apache-2.0

import AppStore
import ArgumentParser
import CommandSupport
import Postgres
import Schema
import Verification
import VerificationQueue

struct SubscriptionsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "subscriptions",
        abstract: "Shows where subscriptions are, and asks Apple.",
        subcommands: [SubscriptionsShowCommand.self]
    )
}

struct SubscriptionsShowCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Shows where a subscription is, by all that is known.",
        discussion: """
            With --ask, Apple is asked first for the newest of each subscription of that customer (Get All Subscription Statuses), within \
            the app's budget of calls, and its answer is recorded as its notifications would have told it: refunds, renewals, ends. A \
            payment that Apple shows unrefunded reverses no refund. It needs the app's key of the App Store Server API. Source: \
            appstoreserverapi/get-all-subscription-statuses.
            """
    )

    @Argument(help: "Any transaction of the subscription, or its original transaction.")
    var transaction: String

    @Option(help: "The app. It is needed for --ask about a transaction that the ledger doesn't know.")
    var bundle: String?

    @Option(help: "production or sandbox. Without it, both are looked up, and Apple is asked where the ledger knows it.")
    var environment: AppStoreEnvironment?

    @Flag(help: "Ask Apple first.")
    var ask = false

    @OptionGroup var output: OutputOptions

    func run() async throws {
        let assembly = try Assembly()
        try await assembly.withPool { pool in
            var found = try await find(pool)
            var answered: [OutputValue] = []
            if ask {
                answered = try await askApple(TransactionFetch(assembly: assembly, pool: pool), known: found.first, pool)
                found = try await find(pool)
            }
            guard let first = found.first else {
                throw CommandFailure(.failure, "no subscription of transaction \(transaction) is known")
            }
            if answered.isEmpty {
                found.count == 1 ? output.show(first) : output.list(found, nothing: "")
            } else {
                output.show(first, with: ["others": Array(found.dropFirst()), "apple": answered])
            }
        }
    }

    private func find(_ pool: PostgresPool) async throws -> [OutputValue] {
        try await pool.execute(
            SQLFile.showSubscriptions.statement, [.text(transaction), .text(bundle), .text(environment?.rawValue)]
        ).map { OutputValue($0) }
    }

    /// - Returns: Apple's answer, a row a subscription.
    private func askApple(_ fetch: TransactionFetch, known: OutputValue?, _ pool: PostgresPool) async throws -> [OutputValue] {
        guard let app = bundle ?? known.map({ $0["bundle_id"].plainText }) else {
            throw CommandFailure(.usage, "the ledger doesn't know transaction \(transaction): name its app by --bundle")
        }
        let place = environment ?? known.flatMap { AppStoreEnvironment(rawValue: $0["environment"].plainText) }
        let words = try await fetch.subscriptions(
            of: TransactionID(rawValue: transaction), of: BundleID(rawValue: app),
            in: place.map { [$0] } ?? [.production, .sandbox])
        _ = try await SettlementStore(pool: pool, workerID: WorkerID(rawValue: 0)).record(words)
        return words.map { word in
            let effects = NotificationEffects(of: word.told)
            return .object([
                .init(name: "original_transaction_id", value: .text(effects.transaction?.originalID.rawValue ?? "")),
                .init(name: "transaction_id", value: .text(effects.transaction?.id.rawValue ?? "")),
                .init(name: "product_id", value: .text(effects.transaction?.productID.rawValue ?? "")),
                .init(name: "status", value: .text(word.statusName)),
                .init(name: "will_renew", value: word.told.renewal?.willRenew.map(OutputValue.bool) ?? .null),
                .init(name: "message", value: .text(effects.message ?? "")),
            ])
        }
    }
}

extension SubscriptionWord {
    /// As `subscription_status` names it.
    fileprivate var statusName: String {
        switch status {
        case 1: "active"
        case 2: "expired"
        case 3: "billing_retry"
        case 4: "grace"
        case 5: "revoked"
        default: status.map(String.init) ?? "unknown"
        }
    }
}
