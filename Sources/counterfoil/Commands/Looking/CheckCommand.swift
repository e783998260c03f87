// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CommandSupport
import Postgres
import Schema
import VerificationQueue

struct CheckCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Checks the ledger and the queue: orders without their payment, payments counted twice, jobs left behind.",
        discussion: """
            If a check finds rows, the command shows them and ends with status 1. With --json it writes an object with a list \
            for each check; all lists are empty when all is well.
            """
    )

    @OptionGroup var output: OutputOptions

    func run() async throws {
        let assembly = try Assembly()
        let findings = try await assembly.withConnection(timeout: .seconds(600)) { connection in
            try await SchemaMigrator(logger: assembly.logger).check(connection)
            var findings: [(check: String, rows: [OutputValue])] = []
            for check in SQLFile.checks {
                let rows = try await connection.withTransaction { connection in
                    _ = try await connection.execute(SQLFile.setCheckTimeout.statement)
                    return try await connection.execute(check.statement)
                }
                findings.append((check.name, rows.map { OutputValue($0) }))
            }
            return findings
        }
        if output.json {
            print(OutputValue.object(findings.map { .init(name: $0.check, value: .array($0.rows)) }).json)
        }
        let found = findings.filter { !$0.rows.isEmpty }
        guard !found.isEmpty else {
            if !output.json {
                print("all \(findings.count) checks passed")
            }
            return
        }
        if !output.json {
            for finding in found {
                print("\(finding.check.replacing("_", with: " ")):\n\(TextTable(finding.rows, on: .standardOutput).text)\n")
            }
        }
        throw CommandFailure(.failure, "\(found.count) of \(findings.count) checks found something")
    }
}
