// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CommandSupport
import Logging

struct DoctorCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor",
        abstract: "Examines an installation: a line for each finding, with the way to mend it.",
        discussion: """
            The command examines variables, trusted roots, schema, database, pooler, signals, clock, timeouts, sessions, \
            disk, privileges, replication and the view health. It tests every app's secret and key by a harmless call to Apple, and has Apple \
            send a test notification to the app's address. Run it as the worker runs: with its variables, credentials and role. It \
            changes nothing else. It ends with status 1 when a finding is wrong; warnings alone end with 0.
            """
    )

    @OptionGroup var output: OutputOptions

    func run() async throws {
        let findings = await Doctor(assembly: try Assembly(logLevel: .error)).findings()
        if output.json {
            print(OutputValue.array(findings.map(\.value)).json)
        } else {
            // The gravest last, where a terminal's reader looks first; else in the order in which they were looked at.
            let levels: [DoctorFinding.Level] = [.ok, .warning, .wrong]
            print(levels.flatMap { level in findings.filter { $0.level == level }.map(\.line) }.joined(separator: "\n"))
        }
        let wrong = findings.count { $0.level == .wrong }
        if wrong > 0 {
            throw CommandFailure(.failure, "\(wrong) of \(findings.count) findings must be mended")
        }
    }
}
