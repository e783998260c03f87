// SPDX-License-Identifier: Apache-2.0

import Postgres
import Schema
import TestSupport
import Testing

@testable import counterfoil

/// The enums that doctor reads rows by are in the order of the statements' columns, and bear their names.
@Suite struct DoctorColumnsTests {
    private static let statements: [(file: SQLFile, columns: [String])] = [
        (.inspectSession, Doctor.SessionColumn.columnNames), (.findLostPrivileges, Doctor.LossColumn.columnNames),
        (.findDefinitionDifferences, Doctor.DefinitionColumn.columnNames), (.findRoleSettings, Doctor.SettingColumn.columnNames),
        (.findOpenSchemas, Doctor.OpenSchemaColumn.columnNames),
        (.findPrivilegeDifferences, Doctor.PrivilegeColumn.columnNames), (.findOtherTriggers, Doctor.TriggerColumn.columnNames),
        (.readHealth, Doctor.HealthColumn.columnNames), (.countTokens, Doctor.TokenColumn.columnNames),
        (.findSilentApps, Doctor.SilenceColumn.columnNames), (.findUnfoundPayments, Doctor.UnfoundColumn.columnNames),
        (.readAppRoutes, AppRoute.Column.columnNames), (.findRefusedCredentials, RefusedCredential.Column.columnNames),
    ]

    @Test func eachColumnIsReadAtThePositionOfItsName() async throws {
        try await withMigratedDatabase { database in
            try await database.withConnection { connection in
                for (file, columns) in Self.statements {
                    let names = try await connection.columnNames(of: file.text)

                    #expect(names == columns, "\(file.name)")
                }
            }
        }
    }
}
