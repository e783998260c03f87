// SPDX-License-Identifier: Apache-2.0

import Postgres

/// The rows that the findings about the database come from.
extension Doctor {
    /// Of `inspect_session.sql`.
    enum SessionColumn: Int, RowColumn {
        case serverVersion, role, backendPID, serverTime, inRecovery, readOnly, statementTimeoutSeconds, idleTimeoutSeconds
        case ownerSeesSessions, dataDirectory, isLocal, databaseBytes, ledgerBytes, historyBytes
    }

    /// Of `find_lost_privileges.sql`.
    enum LossColumn: Int, RowColumn { case lost, canBeGivenBack }

    /// Of `find_definition_differences.sql`.
    enum DefinitionColumn: Int, RowColumn { case name, difference }

    /// Of `find_role_settings.sql`.
    enum SettingColumn: Int, RowColumn { case role, setting, value, found }

    /// Of `find_open_schemas.sql`.
    enum OpenSchemaColumn: Int, RowColumn { case schema, creator }

    /// Of `find_privilege_differences.sql`.
    enum PrivilegeColumn: Int, RowColumn { case object, role, isMissing, statement }

    /// Of `find_other_triggers.sql`.
    enum TriggerColumn: Int, RowColumn { case trigger, function }

    /// Of `read_health.sql`.
    enum HealthColumn: Int, RowColumn { case subject, level, finding, mend }

    /// Of `count_tokens.sql`.
    enum TokenColumn: Int, RowColumn { case bundleID, orders, withToken }

    /// Of `find_silent_apps.sql`.
    enum SilenceColumn: Int, RowColumn { case bundleID, environment, grants }

    /// Of `find_unfound_payments.sql`.
    enum UnfoundColumn: Int, RowColumn { case bundleID, accounts, isClosed }
}
