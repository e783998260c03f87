// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CommandSupport
import Logging
import VerificationQueue

struct MigrateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "migrate",
        abstract: "Migrates the database's schema to the version of this program.",
        discussion: """
            The command applies the missing migrations, each in a database transaction of its own, and replaces functions \
            and views. It is safe to repeat, to interrupt, and to run twice at once; workers may run meanwhile. It needs a role \
            that may create roles and schemas. If \(Variable.listenURL) is set, it connects by that, around a pooler.

            A migration waits for sessions that hold what it needs. After a second it writes to standard error which they are: \
            process, role, application, and since when. After ten minutes it ends with status 75, and has changed nothing.
            """
    )

    @Flag(
        help: """
            End sessions of counterfoil_reader, and of roles with its rights only, that hold a migration up for a second. No \
            other session is ended.
            """)
    var endReaders = false

    func run() async throws {
        // Also what it waits for.
        let assembly = try Assembly(logLevel: .notice)
        // A migration may wait for another migrator, and rewrite large tables.
        let applied = try await assembly.withConnection(direct: true, timeout: .seconds(24 * 3600)) { connection in
            try await SchemaMigrator(logger: assembly.logger, endsReaders: endReaders).migrate(connection)
        }
        for name in applied {
            print("applied \(name)")
        }
        print(applied.isEmpty ? "the schema is up to date" : "the schema is up to date now")
    }
}
