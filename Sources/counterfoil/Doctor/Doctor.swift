// SPDX-License-Identifier: Apache-2.0

import CommandSupport
import Postgres
import Schema
import Verification
import VerificationQueue

/// Looks at everything that an installation needs, from the outside in. Changes nothing.
///
/// What can't be looked at because something before it is wrong is left out.
struct Doctor {
    let assembly: Assembly

    func findings() async -> [DoctorFinding] {
        var findings = roots + variables
        do {
            findings += try await assembly.withConnection { connection in
                var found = try await restore(connection)
                guard found.isEmpty else { return found }
                found = try await schema(connection)
                guard !found.contains(where: { $0.level == .wrong }) else { return found }
                found += try await definitions(connection)
                found += try await privileges(connection)
                guard !found.contains(where: { $0.level == .wrong }) else { return found }
                found += try await session(connection).findings
                if let listening = await listening() { found.append(listening) }
                found.append(try await triggers(connection))
                found += try await settings(connection)
                found += try await health(connection)
                found += try await webhookSecrets(connection)
                let apps = await apps(
                    try await connection.execute(SQLFile.readAppRoutes.statement).map { try AppRoute($0) },
                    unfound: try await unfoundAccounts(connection), connection)
                found += try await connection.execute(SQLFile.findRefusedCredentials.statement).map { row in
                    var refused = try RefusedCredential(row)
                    // The key is the same on all of Apple's server's routes.
                    refused.isAcceptedLately =
                        refused.isAcceptedLately
                        || refused.route != Route.verifyReceipt.rawValue
                            && apps.contains { $0.level == .ok && $0.subject == Self.serverAPI(of: refused.app) }
                    return refused.finding
                }
                found += try await tokens(connection)
                found += apps
                // A test that Apple just sent ends a silence.
                found += try await silentApps(connection)
                return found
            }
        } catch {
            let failure = CommandFailure(error)
            findings.append(.wrong("database", failure.problem, mend: failure.mend ?? Self.mend(failure)))
        }
        return findings
    }

    private static func mend(_ failure: CommandFailure) -> String {
        switch failure.status {
        case .noPermission: return "run doctor as the workers run: with their variables, credentials and role"
        case .configuration: return "mend that variable"
        default: return "see \(Variable.databaseURL)"
        }
    }

    // MARK: This machine

    private var variables: [DoctorFinding] {
        let unknown = assembly.settings.unknownVariables
        guard unknown.isEmpty else {
            return [
                .warning(
                    "variables", unknown.map(\.description).joined(separator: "; "),
                    mend: "counterfoil help environment lists those that mean something")
            ]
        }
        return [.ok("variables", "all that are set are known")]
    }

    private var roots: [DoctorFinding] {
        let further = assembly.settings.extraRoots.map { root in
            DoctorFinding.warning(
                "roots",
                "\(root.path) is trusted beside Apple's roots for "
                    + root.bundleIDs.map(\.rawValue).sorted().joined(separator: ", "),
                mend: "remove it from \(Variable.extraRoots) where purchases are worth money")
        }
        return further.isEmpty ? [.ok("roots", "Apple's roots alone are trusted")] : further
    }
}
