// SPDX-License-Identifier: Apache-2.0

package import ArgumentParser
import Glibc

extension AsyncParsableCommand {
    /// Runs the command that the arguments name. A program's `main` is this and nothing else.
    ///
    /// A failure is one line on standard error and one of ``ExitStatus``. The argument parser words the help and the faults of the
    /// command line.
    package static func runAndExit() async {
        do {
            var command = try parseAsRoot()
            if var command = command as? any AsyncParsableCommand {
                try await command.run()
            } else {
                try command.run()
            }
            // `print` reports no error; only this does.
            guard fflush(nil) == 0 else { throw CommandFailure(.outputLost, "the output could not be written") }
        } catch {
            end(with: error)
        }
    }

    private static func end(with error: any Error) -> Never {
        guard exitCode(for: error) == .failure, !(error is ExitCode) else { exit(withError: error) }
        let failure = CommandFailure(error)
        let name = configuration.commandName ?? "counterfoil"
        StandardErrorText.writeFailure("\(name): \(failure)", journalStream: Settings.readJournalStream())
        exit(withError: ExitCode(failure.status.rawValue))
    }
}
