// SPDX-License-Identifier: Apache-2.0

import AppStore
import Observability
import Postgres
import Schema
import VerificationQueue

/// Why a command could not be carried out: one line for the person who gave it, and the exit status for programs.
package struct CommandFailure: Error, Equatable, CustomStringConvertible {
    package let status: ExitStatus
    /// The failure in one line. It has nothing secret.
    package let problem: String
    /// The next step for the person who gave the command; nil: ``problem`` names it, or there is none.
    package let mend: String?

    package init(_ status: ExitStatus, _ problem: String, mend: String? = nil) {
        self.status = status
        self.problem = problem
        self.mend = mend
    }

    /// One line, without anything secret.
    package var description: String { mend.map { "\(problem); \($0)" } ?? problem }
}

extension CommandFailure {
    /// The failure that an error of any module amounts to.
    package init(_ error: any Error) {
        switch error {
        case let failure as CommandFailure:
            self = failure
        case let error as PostgresError:
            self.init(error)
        case let error as OperatorError:
            self.init(error == .ledgerMoved ? .temporaryFailure : .failure, Self.oneLine(error.description))
        case let problem as SchemaMigrator.Problem:
            self.init(problem)
        case let error as PostgresConfigurationError:
            self.init(.configuration, error.description)
        case let error as AppStoreConfigurationError:
            self.init(.configuration, error.description)
        case let error as MetricsListener.CannotListen:
            self.init(.cannotListen, "\(Variable.metricsAddress): \(error)")
        default:
            self.init(.failure, Self.oneLine("\(error)"))
        }
    }

    private init(_ problem: SchemaMigrator.Problem) {
        let status: ExitStatus =
            switch problem {
            case .schemaIsNewer: .schemaTooNew
            case .schemaIsOlder: .schemaTooOld
            case .isSuperuser: .noPermission
            case .migrationWasEdited, .sessionChanged: .failure
            case .serverIsTooOld, .databaseIsNotUTF8: .configuration
            case .rolesAreOfAnother, .ownerIsLost: .noPermission
            case .lockIsHeld, .indexIsHeldUp: .temporaryFailure
            }
        self.init(status, problem.description)
    }

    private init(_ error: PostgresError) {
        let writesTheLedger = Self.ledgerWriting.contains(error.statementName)
        if let constraint = error.constraint, ConstraintRules.rules[constraint] != nil || !writesTheLedger {
            self.init(.failure, "\(ConstraintRules.rule(constraint)) (\(constraint))")
            return
        }
        let message = Self.oneLine(error.message)
        let state = error.sqlState.map { "\($0): " } ?? ""
        switch (error.kind, error.sqlState) {
        case (.authentication, _):
            self.init(.noPermission, "the database refused to let us in: \(message)")
        case (.connect, .invalidCatalogName):
            self.init(
                .configuration,
                "\(Variable.databaseURL), or \(Variable.listenURL), names a database that doesn't exist: \(message)")
        case (.outcomeUnknown, _),
            (.connectionLost, _) where Self.changesByItself.contains(error.statementName):
            self.init(
                .temporaryFailure, "the connection broke before the answer came: look whether it happened before trying again")
        case (.timedOut, _):
            self.init(.temporaryFailure, "the database did not answer in time: \(message)")
        case _ where error.mayPass:
            self.init(.temporaryFailure, "the database could not do it now: \(state)\(message)")
        case (.server, _) where writesTheLedger && !error.isConnectionLoss:
            self.init(
                .failure,
                """
                the database refused what was to be written to the ledger; does a trigger or a constraint stand in its way? \
                \(state)\(message)
                """)
        case (_, .insufficientPrivilege):
            self.init(.noPermission, "the database role lacks a privilege: \(message)")
        case (_, .undefinedTable), (_, .undefinedFunction), (_, .undefinedColumn), (_, .invalidSchemaName):
            self.init(.schemaTooOld, "the schema lacks something; run counterfoil migrate: \(message)")
        case _ where error.isConnectionLoss:
            self.init(.databaseUnavailable, "the database is not available: \(message)", mend: Self.mend(unavailable: message))
        default:
            self.init(.failure, Self.oneLine(error.description))
        }
    }

    /// The next step where the database can't be reached. libpq has no codes for the causes. The text of the message names them.
    private static func mend(unavailable message: String) -> String {
        if message.contains("root certificate file") {
            return "name the file of the server's authority by sslrootcert in \(Variable.databaseURL), or put it there"
        }
        if message.contains("does not support SSL") {
            return "the server has no TLS: see its parameter ssl, or sslmode in \(Variable.databaseURL)"
        }
        return "see \(Variable.databaseURL), and whether the server is up"
    }

    /// Statements that write the ledger, where triggers and constraints of others may stand. The schema was looked at before they
    /// are sent.
    private static let ledgerWriting: [String?] = [
        SQLFile.insertGrants, .insertWords, .settlePayments,
    ].map(\.name)

    /// Statements that are a database transaction of their own, and change something.
    private static let changesByItself: [String?] = [
        SQLFile.callCancelOrder, .callDecideConsumptionRequest, .callForgetAccount, .callMoveAccount, .callTakeProof, .callTransferOrder, .cancelJob, .closeGate, .openGate, .insertApp, .insertProduct, .insertSandboxAccount, .callSubmit,
    ].map(\.name)

    private static func oneLine(_ text: String) -> String {
        text.split(whereSeparator: \.isNewline).joined(separator: " | ")
    }
}
