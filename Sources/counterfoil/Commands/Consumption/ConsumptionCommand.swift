// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CommandSupport
import FoundationEssentials
import Postgres
import Schema
import Verification
import VerificationQueue

struct ConsumptionCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "consumption",
        abstract: "Lists Apple's questions about refunds, and answers them.",
        subcommands: [ConsumptionListCommand.self, ConsumptionAnswerCommand.self, ConsumptionDeclineCommand.self]
    )
}

struct ConsumptionListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "Lists Apple's questions about refunds that may still be answered, the earliest deadline first.",
        discussion: """
            Apple takes an answer for twelve hours. The column decision is empty until somebody answers or declines; then it is \
            waiting (a worker sends the answer), sent, refused (by Apple: answer otherwise), late or declined.
            """
    )

    @Option(help: "Only questions about this app.")
    var bundle: String?

    @Flag(help: "Also those that are over, the latest first.")
    var all = false

    @Option(help: "Only questions after this one in the list: the uuid of the last one of the page before.", transform: notificationUUID)
    var after: UUID?

    @OptionGroup var limit: LimitOption
    @OptionGroup var output: OutputOptions

    func run() async throws {
        let questions = try await Assembly().withConnection { connection in
            if let after, try await ConsumptionQuestion.preview(after, of: nil, ConsumptionAnswer.unsaid, connection) == nil {
                throw CommandFailure(.failure, "Apple asked no question \(after.uuidString.lowercased()) to go on behind")
            }
            return try await connection.execute(
                SQLFile.listConsumption.statement,
                [.text(bundle), .bool(all), .int4(limit.rowsToRead), .text(after?.uuidString)]
            ).map { OutputValue($0) }
        }
        output.list(limit.cut(questions, next: ("--after", "notification_uuid")), nothing: "Apple asks about no refund")
    }
}

/// A question of Apple's about a refund.
struct ConsumptionQuestion: ParsableArguments {
    @Argument(help: "The notification's uuid, as counterfoil consumption list has it.", transform: notificationUUID)
    var notification: UUID

    @Option(help: "The app that the question must be about.")
    var bundle: String?

    /// The answer to it as it would be sent; nil: Apple asked no such question.
    ///
    /// - Parameters:
    ///   - answer: the parameters of the statement that follow those of the question.
    ///   - declines: the rule that is broken is that of declining the question.
    fileprivate static func preview(
        _ notification: UUID, of bundle: String?, _ answer: [PostgresParameter], declines: Bool = false,
        _ connection: PostgresConnection
    ) async throws -> OutputValue? {
        try await connection.execute(
            SQLFile.previewConsumptionAnswer.statement,
            [.text(notification.uuidString), .text(bundle)] + answer + [.bool(declines)]
        ).first.map { OutputValue($0) }
    }

    /// As ``preview(_:of:_:declines:_:)``; a question that Apple didn't ask is a failure.
    fileprivate func preview(
        _ answer: [PostgresParameter], declines: Bool, _ assembly: Assembly
    ) async throws -> OutputValue {
        let found = try await assembly.withConnection { connection in
            try await Self.preview(notification, of: bundle, answer, declines: declines, connection)
        }
        guard let found else { throw CommandFailure(.failure, "Apple asked no such question about a refund") }
        return found
    }
}

private func notificationUUID(_ text: String) throws -> UUID {
    guard let uuid = UUID(uuidString: text) else { throw ValidationError("A notification has a uuid.") }
    return uuid
}

struct ConsumptionAnswerCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "answer",
        abstract: "Answers Apple's question about a refund: a worker sends the answer.",
        discussion: """
            Apple takes an answer only with the customer's consent: --consented true, or the app's default. The ledger knows what \
            was granted: that is delivered. All else that isn't given is the app's default (counterfoil apps add). --dry-run shows \
            the answer as it would be sent, and what stands against it.

            Workers send it by the app's key of the App Store Server API, again and again until Apple takes it or the twelve hours \
            are over. The command is safe to repeat; another answer is refused, unless Apple refused the first. Source: \
            appstoreserverapi/send-consumption-information.
            """
    )

    @OptionGroup var question: ConsumptionQuestion

    @Option(help: "Whether the customer consented to it: true or false. Default: the app's.")
    var consented: Bool?

    @Option(
        help: """
            delivered, undelivered_quality_issue, undelivered_wrong_item, undelivered_server_outage or undelivered_other. Default: \
            what the ledger knows.
            """)
    var delivery: ConsumptionAnswer.DeliveryStatus?

    @Option(help: "How much of the purchase is consumed, in percent: 0 to 100. Not of an auto-renewable subscription.")
    var consumed: Double?

    @Option(help: "The refund that you prefer: decline, grant_full or grant_prorated. Default: the app's.")
    var preference: ConsumptionAnswer.RefundPreference?

    @Option(help: "Whether the customer could try it before: true or false. Default: the app's.")
    var sample: Bool?

    @Flag(help: "Show the answer, and send nothing.")
    var dryRun = false

    @OptionGroup var manual: OperatorOptions
    @OptionGroup var output: OutputOptions

    func validate() throws {
        if let consumed, !(0...100).contains(consumed) { throw ValidationError("--consumed must be from 0 to 100.") }
    }

    /// The parameters of both statements that follow those of the question.
    private var answer: [PostgresParameter] {
        [.bool(consented), .text(delivery?.rawValue), .double(consumed), .text(preference?.rawValue), .bool(sample)]
    }

    func run() async throws {
        let assembly = try Assembly()
        guard !dryRun else { return output.show(try await question.preview(answer, declines: false, assembly)) }
        let done = try await question.decide(declines: false, manual.act(assembly), answer, assembly)
        if output.json { return output.show(done) }
        print(
            done["is_new"] == .bool(true)
                ? "a worker sends the answer; Apple takes it until \(Screen().text(done["deadline"]))"
                : "the same answer was given before, and is \(done["decision"].plainText): nothing changed")
    }
}

struct ConsumptionDeclineCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "decline",
        abstract: "Gives no answer to Apple's question about a refund.",
        discussion: """
            Nothing is sent, and Apple decides without you: so it must be where the customer didn't consent. The command is safe to \
            repeat. It can't be taken back: --dry-run shows the question, and what stands against declining it.
            """
    )

    /// A preview has these columns for an answer. A question that is declined has no answer.
    private static let answer: Set = [
        "customer_consented", "delivery_status", "consumed_share", "refund_preference", "sample_content_provided",
    ]

    @OptionGroup var question: ConsumptionQuestion

    @Flag(help: "Show the question, and decide nothing.")
    var dryRun = false

    @OptionGroup var manual: OperatorOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        let assembly = try Assembly()
        guard !dryRun else {
            let found = try await question.preview(ConsumptionAnswer.unsaid, declines: true, assembly)
            return output.show(found.dropping(Self.answer))
        }
        let done = try await question.decide(declines: true, manual.act(assembly), ConsumptionAnswer.unsaid, assembly)
        if output.json { return output.show(done) }
        print(
            done["is_new"] == .bool(true)
                ? "no answer is sent: Apple decides without it" : "it was declined before: nothing changed")
    }
}

extension ConsumptionQuestion {
    fileprivate func decide(
        declines: Bool, _ act: OperatorAct, _ answer: [PostgresParameter], _ assembly: Assembly
    ) async throws -> OutputValue {
        try await assembly.write(
            .callDecideConsumptionRequest,
            [.text(notification.uuidString), .text(bundle), .bool(declines), .text(act.who), .text(act.why)] + answer,
            orSay: "nothing was decided")
    }
}

extension ConsumptionAnswer {
    /// The parameters of an answer that says nothing.
    fileprivate static var unsaid: [PostgresParameter] { [.bool(nil), .text(nil), .double(nil), .text(nil), .bool(nil)] }
}

extension ConsumptionAnswer.DeliveryStatus: ExpressibleByArgument {}
extension ConsumptionAnswer.RefundPreference: ExpressibleByArgument {}
