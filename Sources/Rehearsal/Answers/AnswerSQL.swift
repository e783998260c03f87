// SPDX-License-Identifier: Apache-2.0

import Postgres

/// The statements by which answers are asked for, and judged by what was true.
enum AnswerSQL {
    // A backend's
    static let askAnswers = statement("ask_answers", PackageResources.ask_answers_sql)
    static let tellChanges = statement("tell_changes", PackageResources.tell_changes_sql)

    // The judge's
    static let readAttempts = statement("read_attempts", PackageResources.read_attempts_sql)
    static let readGrantTimes = statement("read_grant_times", PackageResources.read_grant_times_sql)
    static let readRevocationTimes = statement("read_revocation_times", PackageResources.read_revocation_times_sql)
    static let readMeantWaits = statement("read_meant_waits", PackageResources.read_meant_waits_sql)
    static let countEndedSessions = statement("count_ended_sessions", PackageResources.count_ended_sessions_sql)
    static let findDisturbances = statement("find_disturbances", PackageResources.find_disturbances_sql)

    private static func statement(_ name: String, _ bytes: [UInt8]) -> PostgresStatement {
        PostgresStatement(name: name, sql: String(decoding: bytes, as: UTF8.self))
    }
}
