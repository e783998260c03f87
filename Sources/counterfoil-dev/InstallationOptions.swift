// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Logging
import Rehearsal

/// The options of the commands that run an installation.
struct InstallationOptions: ParsableArguments {
    @Option(help: ArgumentHelp("How many worker processes to run.", valueName: "n"))
    var workers = 2

    @Flag(help: "Migrate as counterfoil_admin, which may create roles and is no superuser, as on a managed server.")
    var managed = false

    func validate() throws {
        guard (1...32).contains(workers) else { throw ValidationError("--workers must be from 1 to 32.") }
    }

    /// - Parameter stays: whether everything keeps running after the play.
    func session(playing plan: PurchasePlan, stays: Bool, over door: Door = .sql) -> DevSession {
        var logger = Logger(label: "counterfoil.dev") { StreamLogHandler.standardError(label: $0) }
        logger.logLevel = .warning
        return DevSession(
            DevOptions(workers: workers, isManaged: managed, stays: stays, isOverHTTP: door == .http), plan: plan, logger: logger)
    }
}

/// What a shop's backend speaks.
enum Door: String, ExpressibleByArgument, CaseIterable, Sendable {
    case sql, http
}
