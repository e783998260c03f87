// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CommandSupport
import Postgres
import Schema
import VerificationQueue

struct NotificationsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "notifications",
        abstract: "Shows what Apple's servers told, and has it judged again.",
        subcommands: [
            NotificationsListCommand.self, NotificationsShowCommand.self, NotificationsReplayCommand.self,
            NotificationsCatchUpCommand.self,
        ]
    )
}

struct NotificationsListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "Lists notifications, the latest first."
    )

    @Option(help: "Only those of this app.")
    var bundle: String?

    @Option(help: "Only those about this transaction.")
    var transaction: String?

    @Option(help: "Only those about the payment of this order.")
    var order: String?

    @Option(help: "Only those after this row in the list: the last one of the page before.")
    var before: Int64?

    @OptionGroup var limit: LimitOption
    @OptionGroup var output: OutputOptions

    func run() async throws {
        let notifications = try await Assembly().withConnection { connection in
            try await connection.execute(
                SQLFile.listNotifications.statement,
                [.text(bundle), .text(transaction), .text(order), .int4(limit.rowsToRead), .int8(before)]
            ).map { OutputValue($0) }
        }
        output.list(
            limit.cut(notifications, next: ("--before", "id")),
            first: ["id", "type", "subtype", "received_at", "outcome", "transaction_id", "order_id"], nothing: "no notifications")
    }
}

struct NotificationsShowCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Shows a notification, and what became of it, without its payload."
    )

    @Argument(help: "The notification's row, or Apple's UUID of it.")
    var notification: String

    @OptionGroup var output: OutputOptions

    func run() async throws {
        let found = try await Assembly().withConnection { connection in
            try await connection.execute(SQLFile.showNotification.statement, [.text(notification)]).map { OutputValue($0) }
        }
        guard let first = found.first else {
            throw CommandFailure(.failure, "there is no notification \(notification)")
        }
        // Two texts may say that they are the same notification, until they are verified.
        found.count == 1 ? output.show(first) : output.list(found, nothing: "")
    }
}

struct NotificationsReplayCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "replay",
        abstract: "Queues notifications again.",
        discussion: """
            Name one by its row or its UUID, or choose by options: for instance after a later version knows what they mean. It is \
            harmless: what the ledger holds is not written twice. Notifications without a payload, which are older than the history of \
            attempts, are left out.
            """
    )

    @Argument(help: "The notification's row, or Apple's UUID of it.")
    var notification: String?

    @Option(help: "Those of this app.")
    var bundle: String?

    @Option(
        help: "Those that were received since this time. A date or time in ISO 8601, in UTC.",
        transform: PostgresTimestamp.init(argumentText:))
    var since: PostgresTimestamp?

    @OptionGroup var output: OutputOptions

    func validate() throws {
        guard notification != nil || bundle != nil else {
            throw ValidationError("Name a notification, or an app by --bundle.")
        }
    }

    func run() async throws {
        try await Assembly().withPool { pool in
            let (found, queued) = try await NotificationStore(pool: pool).replay(
                notification, of: bundle, since: since)
            if let notification, found == 0 {
                throw CommandFailure(.failure, "there is no notification \(notification) with a payload, of an app that is known")
            }
            output.report(
                [("notifications_queued", queued), ("notifications_waiting_before", found - queued)],
                "\(queued) notifications are queued" + (found > queued ? ", \(found - queued) were waiting already" : ""))
        }
    }
}

struct NotificationsCatchUpCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "catch-up",
        abstract: "Has workers ask Apple for notifications that didn't arrive.",
        discussion: """
            Workers do so when they start, and daily. This makes it due now; a worker begins within a minute, and needs the app's key of the \
            App Store Server API. Apple remembers 180 days, of the sandbox 30.
            """
    )

    @Option(help: "Only those of this app.")
    var bundle: String?

    @Flag(help: "All that Apple remembers, and not only what didn't arrive since the last time.")
    var all = false

    @OptionGroup var output: OutputOptions

    func run() async throws {
        try await Assembly().withPool { pool in
            let due = try await NotificationStore(pool: pool).askForCatchUps(of: bundle, all: all)
            guard due > 0 else { throw CommandFailure(.failure, "there is no such app, or no worker has looked at it yet") }
            output.report([("catch_ups_due", due)], "\(due) catch-ups are due: one for each app and environment")
        }
    }
}
