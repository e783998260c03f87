// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import FoundationEssentials

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// The program: finds the command that the arguments name, runs it, and ends with its exit status.
@main
struct Counterfoil: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "counterfoil",
        abstract: "Verifies in-app purchases of the App Store, each granted exactly once.",
        discussion: """
            Orders and their proofs wait in a PostgreSQL database; workers check them with Apple and write the result \
            there. Everything is configured by environment variables: see counterfoil help environment.

            Exit status:
            \(ExitStatus.table)
            """,
        version: Version.current,
        subcommands: [
            MigrateCommand.self, WorkerCommand.self, SubmitCommand.self, OrdersCommand.self, JobsCommand.self,
            GatesCommand.self, AppsCommand.self, ProductsCommand.self, CheckCommand.self, DoctorCommand.self,
            DashboardCommand.self, InspectCommand.self,
            SimulatorCommand.self, DevCommand.self, EnvironmentCommand.self, VersionCommand.self, AttemptCommand.self,
        ]
    )

    static func main() async {
        do {
            var command = try parseAsRoot()
            if var command = command as? any AsyncParsableCommand {
                try await command.run()
            } else {
                try command.run()
            }
            // Nothing else looks at what became of what was printed.
            guard fflush(nil) == 0 else { throw CommandFailure(.outputLost, "the output could not be written") }
        } catch {
            end(with: error)
        }
    }

    /// One line on standard error, and the status; help that was asked for, and faults of the command line, as the
    /// argument parser words them.
    private static func end(with error: any Error) -> Never {
        guard exitCode(for: error) == .failure, !(error is ExitCode) else { exit(withError: error) }
        let failure = CommandFailure(error)
        StandardErrorText.writeFailure("counterfoil: \(failure)", journalStream: Settings.readJournalStream())
        exit(withError: ExitCode(failure.status.rawValue))
    }
}
