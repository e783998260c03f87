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
            OrdersShowCommand.self, OrdersListCommand.self, OrdersReviewsCommand.self, OrdersLookUpCommand.self,
            OrdersAssignCommand.self, OrdersRefundCommand.self, OrdersCancelCommand.self, OrdersTransferCommand.self,
        ]
    )
}

struct OrdersShowCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Shows an order's whole story, and what to do next.",
        discussion: """
            The story has its proofs, each attempt with its result, what Apple told, and each act of an operator. The order may be named \
            by any id that leads to one order alone: of a transaction, a token, a notification or a job. Where several orders fit, the \
            command lists them.
            """
    )

    @Argument(help: "The shop's id of the order, or another id that leads to it.")
    var order: String

    @OptionGroup var output: OutputOptions

    private struct Found {
        var order: OutputValue
        var jobs: [OutputValue]
        var attempts: [OutputValue]
        var events: [OutputValue]
        var story: [OutputValue]
        var next: OutputValue?
    }

    func run() async throws {
        let found = try await Assembly().withConnection { connection in
            if let found = try await read(order, connection) { return found }
            let hits = try await FindCommand.hits(of: order, connection)
            var orders: [String] = []
            for hit in hits where hit["kind"] != .text("account") {
                guard case .text(let id) = hit["order_id"], !orders.contains(id) else { continue }
                orders.append(id)
            }
            if let only = orders.first, orders.count == 1, let found = try await read(only, connection) { return found }
            guard hits.isEmpty else {
                output.list(hits, first: FindCommand.first, nothing: "")
                throw CommandFailure(
                    .failure,
                    orders.isEmpty
                        ? "the id names no order; it names what is listed"
                        : "the id leads to several orders: name one of those listed")
            }
            throw CommandFailure(
                .failure, "there is no such order: \(try await FindCommand.nothingFound(order, connection).description)")
        }
        if output.json {
            output.show(
                found.order,
                with: [
                    "jobs": found.jobs, "history": found.attempts, "events": found.events, "story": found.story,
                    "next": found.next.map { [$0] } ?? [],
                ])
        } else {
            let screen = Screen.standardOutput
            output.show(found.order.withoutNulls, with: ["jobs": found.jobs])
            // It holds the attempts and the events.
            print((["", "story:"] + StoryText(events: found.story, screen: screen).lines).joined(separator: "\n"))
            if let next = found.next { print((["", "Next:"] + Self.lines(next)).joined(separator: "\n")) }
        }
    }

    private func read(_ order: String, _ connection: PostgresConnection) async throws -> Found? {
        let orders = try await connection.execute(SQLFile.showOrder.statement, [.text(order)])
        guard let row = orders.first else { return nil }
        let jobs = try await connection.execute(SQLFile.listJobs.statement, [.text(nil), .text(order), .int4(Int32(100)), .int8(nil)])
        let attempts = try await connection.execute(SQLFile.showAttempts.statement, [.text(order)])
        let events = try await connection.execute(SQLFile.showOrderEvents.statement, [.text(order)])
        let story = try await connection.execute(SQLFile.showOrderStory.statement, [.text(order)])
        let next = try await connection.execute(SQLFile.callNextStep.statement, [.text(order)])
        return Found(
            order: OutputValue(row).explained, jobs: jobs.map { OutputValue($0) }, attempts: attempts.map { OutputValue($0) },
            events: events.map { OutputValue($0) }, story: story.map { OutputValue($0).explained },
            next: next.first.map { OutputValue($0) })
    }

    /// The step in words, and its command in a line of its own, to be copied whole.
    private static func lines(_ next: OutputValue) -> [String] {
        let command = next["command"].plainText
        return WrappedText(next["step"].plainText, indent: 4).lines + (command.isEmpty ? [] : ["    " + command])
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
