// SPDX-License-Identifier: Apache-2.0

import PrivatePostgres
import Rehearsal
import Subprocess

/// Programs that may know another schema than this one, so that each migrates by itself.
enum OlderProgram {
    /// Brings the rehearsal's database to the schema that a program knows, as an operator would.
    ///
    /// - Returns: the names of the migrations that the database lacked.
    @discardableResult
    static func migrate(_ server: PrivatePostgresServer, with program: String) async throws -> [String] {
        let result = try await Subprocess.run(
            .name("sh"), arguments: ["-c", "exec \"$0\" migrate", program],
            environment: .inherit.updating(["COUNTERFOIL_DATABASE_URL": server.url(database: RehearsalDatabase.name)]),
            output: .string(limit: 1 << 20), error: .combinedWithOutput)
        guard result.terminationStatus.isSuccess else {
            throw BenchError("\(program) migrate failed (\(result.terminationStatus)): \(result.standardOutput)")
        }
        return result.standardOutput.split(separator: "\n").compactMap { line in
            line.hasPrefix("applied ") ? String(line.dropFirst("applied ".count)) : nil
        }
    }
}
