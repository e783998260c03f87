// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CommandSupport
import Postgres
import Schema
import VerificationQueue

struct AppsListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "Lists the apps with their policies and the standing of their secrets and keys.",
        discussion: """
            The column credentials is at_fault while a gate is closed for an app's secret or key, refused while Apple refused one \
            last, accepted once Apple took one, and empty before. doctor looks at the files.
            """
    )

    @OptionGroup var output: OutputOptions

    func run() async throws {
        let apps = try await Assembly().withConnection { connection in
            try await connection.execute(SQLFile.listApps.statement).map { OutputValue($0) }
        }
        output.list(apps, nothing: "no apps: counterfoil apps add")
    }
}
