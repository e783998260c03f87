// SPDX-License-Identifier: Apache-2.0

import AppStore
import CommandSupport
import FoundationEssentials
import Postgres
import Schema
import VerificationQueue

/// The failure of a command that the database didn't let in, or whose role may not do what it asked: it names the role, and the one
/// that may; or the file of the password.
extension Assembly {
    /// Runs `body`, and words what the database refuses.
    ///
    /// - Parameter ask: sends a statement by the same role; nil where there is no connection yet.
    func explainingRefusals<Success>(
        asking ask: ((PostgresStatement) async throws -> PostgresResult)? = nil, _ body: () async throws -> Success
    ) async throws -> Success {
        do {
            return try await body()
        } catch let error as PostgresError where error.kind == .authentication {
            throw CommandFailure(
                .noPermission, "the database refused to let us in: \(error.message)",
                mend: Self.isOfAMissingRole(error) ? Self.missingRole : passwordSource)
        } catch let error as PostgresError {
            guard let ask, let failure = await refusal(error, asking: ask) else { throw error }
            throw failure
        }
    }

    /// Nil where the role isn't at fault.
    private func refusal(
        _ error: PostgresError, asking ask: (PostgresStatement) async throws -> PostgresResult
    ) async -> CommandFailure? {
        guard error.sqlState == .insufficientPrivilege || error.sqlState == .readOnlyTransaction,
            let row = try? await ask(SQLFile.nameRole.statement).first, let role = try? row.string(0),
            let isStandby = try? row.bool(1)
        else { return nil }
        if error.sqlState == .readOnlyTransaction {
            guard !isStandby else { return nil }
            return CommandFailure(
                .noPermission, "the role \(role) only reads here (\(error.message)). \(Self.roles); see \(Variable.databaseURL)")
        }
        return CommandFailure(
            .noPermission, "the role \(role) may not do that (\(error.message)). \(Self.roles); see \(Variable.databaseURL)")
    }

    private static let roles =
        "Act and look as counterfoil_support, look at a part as counterfoil_reader, run workers and doctor as counterfoil_worker, "
        + "gateways as counterfoil_gateway, and migrate as a role that may create roles"

    /// Some methods of authentication say so; the others refuse the password.
    private static func isOfAMissingRole(_ error: PostgresError) -> Bool {
        error.message.contains("role \"") && error.message.contains("does not exist")
    }

    private static let missingRole =
        "counterfoil migrate makes the roles; see \(Variable.databaseURL) for the name of this one"

    /// Where the password came from, or should have come from.
    private var passwordSource: String {
        let (name, directory) = (Self.passwordFile, settings.credentialsDirectory)
        if let path = directory.flatMap({ CredentialStore.path(of: name, in: $0) }) {
            let isEmpty = (try? String(contentsOfFile: path, encoding: .utf8))?.prefix { !$0.isNewline }.isEmpty ?? false
            return isEmpty ? "the credential \(path) is empty" : "the password is that of the credential \(path)"
        }
        if (try? makeDatabaseConfiguration())?.hasPassword == true { return "the password is that of \(Variable.databaseURL)" }
        return directory.map { "there is no credential \(name) in \($0)" }
            ?? "no credentials folder is named, so that the password is libpq's own: see \(Variable.credentialsDirectory)"
    }
}
