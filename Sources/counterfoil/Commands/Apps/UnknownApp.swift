// SPDX-License-Identifier: Apache-2.0

import CommandSupport
import Postgres
import Schema
import VerificationQueue

extension CommandFailure {
    /// The failure of a command that names an app which nobody added.
    ///
    /// - Parameter apps: all that were added.
    static func unknownApp(_ bundle: String, among apps: [String]) -> CommandFailure {
        let nearest = NearestName.find(to: bundle, among: apps)
        return CommandFailure(
            .failure, "the app \(OutputValue.text(bundle).plainText) isn't known",
            mend: nearest.map { "did you mean \($0)?" } ?? "counterfoil apps list shows all, and counterfoil apps add adds one")
    }
}

extension PostgresConnection {
    /// Runs a statement that names an app, and says which one may have been meant if it isn't known.
    func execute(_ file: SQLFile, _ parameters: [PostgresParameter], namingApp bundle: String) async throws -> PostgresResult {
        do {
            return try await execute(file.statement, parameters)
        } catch where error.constraint?.hasSuffix("_names_a_known_app") == true {
            // Some roles may not read the list of apps. They get the error as it is.
            guard let rows = try? await execute(SQLFile.listApps.statement), let apps = try? rows.map({ try $0.string(0) })
            else { throw error }
            throw CommandFailure.unknownApp(bundle, among: apps)
        }
    }
}
