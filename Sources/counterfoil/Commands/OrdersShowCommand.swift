// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Postgres
import Schema
import VerificationQueue

struct OrdersShowCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Shows an order, its attempts, and what was done to it by hand."
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
            return (
                order: orders.first.map { OutputValue($0) }, jobs: jobs.map { OutputValue($0) },
                attempts: attempts.map { OutputValue($0) }, events: events.map { OutputValue($0) }
            )
        }
        guard let order = found.order else {
            throw CommandFailure(.failure, "there is no such order")
        }
        output.show(order, with: ["jobs": found.jobs, "history": found.attempts, "events": found.events])
    }
}
