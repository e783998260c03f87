// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CommandSupport
import Postgres
import Schema
import Verification
import VerificationQueue

struct OrdersCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "orders",
        abstract: "Shows orders, and carries out an operator's decisions on them.",
        subcommands: [
            OrdersShowCommand.self, OrdersListCommand.self, OrdersLookUpCommand.self, OrdersAssignCommand.self,
            OrdersRefundCommand.self,
        ]
    )
}

struct OrdersShowCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Shows an order's whole story: its proofs, each attempt with its result, and each act of an operator."
    )

    @Argument(help: "The shop's id of the order.")
    var order: String

    @OptionGroup var output: OutputOptions

    func run() async throws {
        let found = try await Assembly().withConnection { connection in
            let orders = try await connection.execute(SQLFile.showOrder.statement, [.text(order)])
            let jobs = try await connection.execute(
                SQLFile.listJobs.statement, [.text(nil), .text(order), .int4(Int32(100))])
            let attempts = try await connection.execute(SQLFile.showAttempts.statement, [.text(order)])
            let events = try await connection.execute(SQLFile.showOrderEvents.statement, [.text(order)])
            let story = try await connection.execute(SQLFile.showOrderStory.statement, [.text(order)])
            return (
                order: orders.first.map { OutputValue($0) }, jobs: jobs.map { OutputValue($0) },
                attempts: attempts.map { OutputValue($0) }, events: events.map { OutputValue($0) },
                story: story.map { OutputValue($0).explained }
            )
        }
        guard let order = found.order?.explained else {
            throw CommandFailure(.failure, "there is no such order")
        }
        if output.json {
            output.show(
                order, with: ["jobs": found.jobs, "history": found.attempts, "events": found.events, "story": found.story])
        } else {
            output.show(order.withoutNulls, with: ["jobs": found.jobs])
            // It holds the attempts and the events.
            print((["", "story:"] + StoryText(events: found.story).lines).joined(separator: "\n"))
        }
    }
}

extension OutputValue {
    /// The known fields, for people. Programs get every field.
    fileprivate var withoutNulls: OutputValue {
        guard case .object(let fields) = self else { return self }
        return .object(fields.filter { $0.value != .null })
    }

    /// With the meaning of its reason after it, where it has one.
    fileprivate var explained: OutputValue {
        guard case .object(let fields) = self, let index = fields.firstIndex(where: { $0.name == "reason" }) else {
            return self
        }
        let meaning = Reason(rawValue: fields[index].value.plainText)?.meaning
        let field = Field(name: "in_words", value: meaning.map(OutputValue.text) ?? .null)
        return .object(Array(fields[...index]) + [field] + Array(fields[(index + 1)...]))
    }
}
