// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CommandSupport
import Delivering
import FoundationEssentials
import Postgres
import Schema
import VerificationQueue
import Webhooks

struct WebhooksCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "webhooks",
        abstract: "The endpoints that workers send changes of the feed to.",
        discussion: """
            Workers sign each event by the secrets in the file NAME.webhook-secret of their credentials directory, and serve only the \
            endpoints whose file they have.
            """,
        subcommands: [
            WebhooksAddCommand.self, WebhooksListCommand.self, WebhooksShowCommand.self, WebhooksTestCommand.self,
            WebhooksResendCommand.self, WebhooksReplayCommand.self, WebhooksSkipCommand.self, WebhooksEnableCommand.self,
            WebhooksDisableCommand.self,
        ]
    )

    /// Locks an endpoint, acts, and keeps who did so and why, in one database transaction.
    ///
    /// - Parameter about: what the act is about.
    /// - Throws: when there is no such endpoint.
    static func act<Success: Sendable>(
        _ kind: String, on name: String, about: String? = nil, _ manual: OperatorOptions,
        _ body: @escaping @Sendable (_ endpoint: LockedEndpoint, isolated PostgresConnection) async throws -> Success
    ) async throws -> Success {
        let assembly = try Assembly()
        let act = try manual.act(assembly)
        return try await assembly.withConnection(writing: true) { connection in
            try await connection.withTransaction { connection in
                guard let row = try await connection.execute(SQLFile.lockWebhookEndpoint.statement, [.text(name)]).first else {
                    throw CommandFailure(.failure, "there is no endpoint \(name): counterfoil webhooks list")
                }
                let endpoint = LockedEndpoint(number: try row.int32(0), offBecause: try row.optionalString(1))
                let success = try await body(endpoint, connection)
                _ = try await connection.execute(
                    SQLFile.insertWebhookAct.statement,
                    [.int4(endpoint.number), .text(kind), .text(about), .text(act.who), .text(act.why)])
                return success
            }
        }
    }

    /// An endpoint's row, locked.
    struct LockedEndpoint: Sendable {
        let number: Int32
        /// Nil while it is on.
        let offBecause: String?
    }
}

struct WebhooksAddCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "add", abstract: "Adds an endpoint. Its secret is a file of the workers' credentials, NAME.webhook-secret.")

    @Argument(help: "The endpoint's name: up to 50 of a-z, 0-9 and hyphens. Its secrets' file is named for it.")
    var name: String

    @Argument(
        help: "Its address: https, without a user, a password or a fragment.",
        transform: { text in
            guard let url = WebhookURL(text) else {
                throw ValidationError(
                    "The address is https://…, its host in small letters, without a user, a password or a fragment.")
            }
            return url
        })
    var url: WebhookURL

    @Option(help: "Only changes of this app. May be given again. Default: of all.")
    var bundle: [String] = []

    @Option(help: "Only changes of these kinds, separated by commas. Default: all.")
    var kinds: ChangeKinds?

    @Option(help: "Calls a second, of all workers together. 1 to 1000.")
    var rate: Int32 = 50

    @Option(help: "Calls at once, of all workers together. 1 to 100.")
    var inFlight: Int32 = 4

    @Option(help: "Where it begins: now, all, or a time such as 2026-03-01T09:30:00Z.")
    var from = "now"

    @Option(help: "Your name. Default: the user who called sudo, or the system's user.")
    var `operator`: String?

    @OptionGroup var output: OutputOptions

    func validate() throws {
        guard name.wholeMatch(of: /[a-z0-9][a-z0-9-]{0,49}/) != nil else {
            throw ValidationError("An endpoint's name has up to 50 of a-z, 0-9 and hyphens, and begins with none.")
        }
        guard (1...1000).contains(rate) else { throw ValidationError("--rate is 1 to 1000.") }
        guard (1...100).contains(inFlight) else { throw ValidationError("--in-flight is 1 to 100.") }
    }

    func run() async throws {
        let assembly = try Assembly()
        let isMade = try await assembly.withConnection(writing: true) { connection in
            try await !connection.execute(
                SQLFile.insertWebhookEndpoint.statement,
                [
                    .text(name), .text(url.text), bundle.isEmpty ? .typedNull(.textArray) : .textArray(bundle),
                    kinds.map { .textArray($0.names.sorted()) } ?? .typedNull(.textArray), .int4(rate), .int4(inFlight),
                    .text(DeliveryStart(from).time), .text(self.operator ?? assembly.operatorName),
                ]
            ).isEmpty
        }
        guard isMade else { throw CommandFailure(.failure, "an endpoint of this name is there: counterfoil webhooks show \(name)") }
        output.report(
            [("endpoints_added", 1)],
            "endpoint \(name) is added; workers that have \(WebhookSecretFiles.fileName(of: name)) send to it within 5 s")
    }
}

struct WebhooksListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "list", abstract: "Lists the endpoints and how each fares.")

    @OptionGroup var output: OutputOptions

    func run() async throws {
        let rows = try await Assembly().withConnection { connection in
            try await connection.execute(SQLFile.listWebhookEndpoints.statement).map { OutputValue($0) }
        }
        output.list(rows, nothing: "there is no endpoint")
    }
}

struct WebhooksShowCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Shows an endpoint, the events that wait for it, and what operators did about it.")

    @Argument(help: "The endpoint's name.")
    var name: String

    @OptionGroup var limit: LimitOption
    @OptionGroup var output: OutputOptions

    func run() async throws {
        let (name, limit) = (name, limit)
        let (shown, events, acts) = try await Assembly().withConnection { connection in
            (
                try await connection.execute(SQLFile.showWebhookEndpoint.statement, [.text(name)]).map { OutputValue($0) }.first,
                try await connection.execute(
                    SQLFile.listWebhookEvents.statement, [.text(name), .int4(limit.rowsToRead)]
                ).map { OutputValue($0) },
                try await connection.execute(
                    SQLFile.listWebhookActs.statement, [.text(name), .int4(limit.limit)]
                ).map { OutputValue($0) }
            )
        }
        guard let shown else { throw CommandFailure(.failure, "there is no endpoint \(name): counterfoil webhooks list") }
        output.show(shown, with: ["events": limit.cut(events), "acts": acts])
    }
}

struct WebhooksTestCommand: AsyncParsableCommand {
    /// How long a worker may take: it looks for endpoints every 5 s, and a call takes 15 s at most.
    private static let patience = Duration.seconds(30)

    static let configuration = CommandConfiguration(
        commandName: "test", abstract: "Has a worker send a test event, and waits for the answer.",
        discussion: "The event's type is webhook_test. It is sent once, also to an endpoint that is off.")

    @Argument(help: "The endpoint's name.")
    var name: String

    @OptionGroup var output: OutputOptions

    func run() async throws {
        let (name, id) = (name, "test_" + UUID().uuidString.lowercased())
        let error = try await Assembly().withConnection(writing: true) { connection in
            guard try await !connection.execute(SQLFile.insertWebhookTest.statement, [.text(name), .text(id)]).isEmpty else {
                throw CommandFailure(.failure, "there is no endpoint \(name): counterfoil webhooks list")
            }
            let deadline = ContinuousClock.now + Self.patience
            while ContinuousClock.now < deadline {
                guard let row = try await connection.execute(SQLFile.readWebhookTest.statement, [.text(id)]).first else {
                    return String?.none
                }
                if try row.bool(0) {
                    _ = try await connection.execute(SQLFile.deleteWebhookTest.statement, [.text(id)])
                    return try row.optionalString(1) ?? "no answer"
                }
                try await Task.sleep(for: .milliseconds(200))
            }
            _ = try await connection.execute(SQLFile.deleteWebhookTest.statement, [.text(id)])
            return
                "no worker sent it within \(Self.patience.components.seconds) s: has one \(WebhookSecretFiles.fileName(of: name))?"
        }
        if let error { throw CommandFailure(.failure, "the test failed: \(error)") }
        output.report([("tests_handled", 1)], "the endpoint handled the test \(id)")
    }
}

struct WebhooksResendCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "resend", abstract: "Sends events at once that wait or were given up.",
        discussion: "What was handled isn't kept: webhooks replay sends it again.")

    @Argument(help: "The endpoint's name.")
    var name: String

    @Argument(help: "The event, by its id or by its change. Without it, all that were given up.")
    var event: String?

    @OptionGroup var manual: OperatorOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        let event = event
        let count = try await WebhooksCommand.act("resent", on: name, about: event, manual) { endpoint, connection in
            let count = try await connection.execute(
                SQLFile.resendWebhookEvents.statement, [.int4(endpoint.number), .text(event)]
            ).count
            guard count > 0 || event == nil else {
                throw CommandFailure(.failure, "no such event waits, or an earlier one of its order does")
            }
            return count
        }
        output.report([("events_resent", count)], "events that are sent at once: \(count)")
    }
}

struct WebhooksReplayCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "replay", abstract: "Has an endpoint told again what happened from a time on, under the same event ids.")

    @Argument(help: "The endpoint's name.")
    var name: String

    @Option(help: "A time such as 2026-03-01T09:30:00Z, or all.")
    var since: String

    @OptionGroup var manual: OperatorOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        let time = DeliveryStart(since).time
        try await WebhooksCommand.act("replayed", on: name, about: since, manual) { endpoint, connection in
            _ = try await connection.execute(
                SQLFile.replayWebhookChanges.statement, [.int4(endpoint.number), .text(time)])
        }
        output.report([("endpoints_replayed", 1)], "endpoint \(name) is told again what happened since \(since)")
    }
}

struct WebhooksSkipCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "skip", abstract: "Gives an event up for good. The next one of its order goes on.")

    @Argument(help: "The endpoint's name.")
    var name: String

    @Argument(help: "The event, by its id or by its change.")
    var event: String

    @OptionGroup var manual: OperatorOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        let event = event
        try await WebhooksCommand.act("skipped", on: name, about: event, manual) { endpoint, connection in
            let rows = try await connection.execute(
                SQLFile.skipWebhookEvent.statement, [.int4(endpoint.number), .text(event)])
            guard !rows.isEmpty else { throw CommandFailure(.failure, "no such event waits") }
        }
        output.report([("events_skipped", 1)], "event \(event) is skipped")
    }
}

struct WebhooksEnableCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "enable", abstract: "Switches an endpoint on: it goes on where it stopped.",
        discussion: "After a restore say with --since where it begins: what it was sent since the backup isn't known any more.")

    @Argument(help: "The endpoint's name.")
    var name: String

    @Option(help: "now, kept (where it stopped), or a time such as 2026-03-01T09:30:00Z. Default: kept, but after a restore.")
    var since: String?

    @OptionGroup var manual: OperatorOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        let since = since
        try await WebhooksCommand.act("enabled", on: name, about: since, manual) { endpoint, connection in
            if endpoint.offBecause == "restored" && since == nil {
                throw CommandFailure(
                    .usage, "the database was restored: say with --since where the endpoint begins (a time, now, or kept)")
            }
            let time = since.flatMap { $0 == "kept" ? nil : DeliveryStart($0).time }
            _ = try await connection.execute(
                SQLFile.enableWebhookEndpoint.statement, [.int4(endpoint.number), .text(time)])
        }
        output.report([("endpoints_enabled", 1)], "endpoint \(name) is on")
    }
}

struct WebhooksDisableCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "disable", abstract: "Switches an endpoint off. The feed keeps its changes.")

    @Argument(help: "The endpoint's name.")
    var name: String

    @OptionGroup var manual: OperatorOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        try await WebhooksCommand.act("disabled", on: name, manual) { endpoint, connection in
            guard try await !connection.execute(SQLFile.disableWebhookEndpoint.statement, [.int4(endpoint.number)]).isEmpty else {
                throw CommandFailure(.failure, "it is off already")
            }
        }
        output.report([("endpoints_disabled", 1)], "endpoint \(name) is off")
    }
}
