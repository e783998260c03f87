// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Postgres
import Schema
import VerificationQueue

struct AppsAddSandboxAccountCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "add-sandbox-account",
        abstract: "Lists an account. Its sandbox purchases count under the policy listed."
    )

    @Argument(help: "The app's bundle id.")
    var bundle: String

    @Argument(help: "The shop's id of the account.")
    var account: String

    func run() async throws {
        let isNew = try await Assembly().withConnection(writing: true) { connection in
            try await connection.execute(
                SQLFile.insertSandboxAccount.statement, [.text(bundle), .text(account)]
            ).affectedRows > 0
        }
        print(isNew ? "account \(account) is listed for \(bundle)" : "account \(account) was listed for \(bundle) already")
    }
}
