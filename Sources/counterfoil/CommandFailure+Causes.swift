// SPDX-License-Identifier: Apache-2.0

import AppStore
import Observability
import Postgres
import PrivatePostgres
import VerificationQueue

extension CommandFailure {
    /// The failure that an error of any module amounts to.
    init(_ error: any Error) {
        switch error {
        case let failure as CommandFailure:
            self = failure
        case let error as PostgresError:
            self.init(error)
        case let error as ManualError:
            self.init(.failure, Self.oneLine(error.description))
        case let problem as SchemaMigrator.Problem:
            self.init(problem)
        case let error as PostgresConfigurationError:
            self.init(.configuration, error.description)
        case let error as AppStoreConfigurationError:
            self.init(.configuration, error.description)
        case let error as MetricsListener.CannotListen:
            self.init(.cannotListen, "\(Variable.metricsAddress): \(error)")
        case let error as PrivatePostgresError:
            self.init(.failure, Self.oneLine(error.description))
        default:
            self.init(.failure, Self.oneLine("\(error)"))
        }
    }

    private init(_ problem: SchemaMigrator.Problem) {
        let status: ExitStatus =
            switch problem {
            case .schemaIsNewer: .schemaTooNew
            case .schemaIsOlder: .schemaTooOld
            case .migrationWasEdited, .sessionChanged: .failure
            }
        self.init(status, problem.description)
    }

    private init(_ error: PostgresError) {
        if let constraint = error.constraint {
            self.init(.failure, "\(ConstraintRules.rule(constraint)) (\(constraint))")
            return
        }
        switch (error.kind, error.sqlState) {
        case (.authentication, _):
            self.init(.noPermission, "the database refused to let us in: \(Self.oneLine(error.message))")
        case (_, .insufficientPrivilege):
            self.init(.noPermission, "the database role lacks a privilege: \(Self.oneLine(error.message))")
        case (_, .undefinedTable), (_, .undefinedFunction), (_, .undefinedColumn), (_, .invalidSchemaName):
            self.init(.schemaTooOld, "the schema lacks something; run counterfoil migrate: \(Self.oneLine(error.message))")
        case (.connect, .invalidCatalogName):
            self.init(.configuration, "\(Variable.databaseURL) names a database that doesn't exist")
        case (.outcomeUnknown, _):
            self.init(
                .temporaryFailure, "the connection broke at the commit: look whether it happened before trying again")
        case (.timedOut, _):
            self.init(.temporaryFailure, "the database did not answer in time: \(Self.oneLine(error.message))")
        case (.connect, _), (.connectTimedOut, _), (.unavailable, _), (.connectionLost, _):
            self.init(.databaseUnavailable, "the database is not available: \(Self.oneLine(error.message))")
        default:
            self.init(.failure, Self.oneLine(error.description))
        }
    }

    private static func oneLine(_ text: String) -> String {
        text.split(whereSeparator: \.isNewline).joined(separator: " | ")
    }
}
