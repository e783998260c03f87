// SPDX-License-Identifier: Apache-2.0

package import ArgumentParser
import Glibc

extension AsyncParsableCommand {
    /// Runs the command that the arguments name, and ends the process. A program's `main` is this and nothing else.
    ///
    /// A failure is one line on standard error and one of ``ExitStatus``. The argument parser words the help and the faults of the
    /// command line.
    package static func runAndExit() async -> Never {
        do {
            if let unknown = UnknownCommand.find(in: Self.self, Array(CommandLine.arguments.dropFirst())) {
                throw CommandFailure(.usage, unknown.description)
            }
            var command = try parseAsRoot()
            try ThreadRoom.require()
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
        endProcess(ExitCode.success)
    }

    private static func end(with error: any Error) -> Never {
        if let status = error as? ExitCode { endProcess(status) }
        // Help and faults of the command line: nothing has run yet.
        guard exitCode(for: error) == .failure else { exit(withError: error) }
        let failure = CommandFailure(error)
        let name = configuration.commandName ?? "counterfoil"
        StandardErrorText.writeFailure("\(name): \(failure)", journalStream: Settings.readJournalStream())
        endProcess(ExitCode(failure.status.rawValue))
    }

    /// Ends the process without its exit handlers. One of them takes OpenSSL's state away, and a thread that still opens a
    /// connection would crash in it (OPENSSL_cleanup(3): no other thread may use the library).
    private static func endProcess(_ status: ExitCode) -> Never {
        fflush(nil)
        _exit(status.rawValue)
    }
}
