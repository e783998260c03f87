// SPDX-License-Identifier: Apache-2.0

import Postgres

/// The statements of a reader that delivers, with the names of its tables and of its function. None is prepared: a function's
/// session is left without prepared statements.
struct DeliverySQL: Sendable {
    let tables: StateTables
    let function: QualifiedName
    /// In milliseconds.
    let timeout: Int64

    // One database transaction
    var limitTransaction: PostgresStatement { statement("limit_transaction", PackageResources.limit_transaction_sql) }
    var lockState: PostgresStatement { statement("lock_state", PackageResources.lock_state_sql) }
    var hasState: PostgresStatement { statement("has_state", PackageResources.has_state_sql) }
    var restorePath: PostgresStatement { statement("restore_path", PackageResources.restore_path_sql) }
    var callFunction: PostgresStatement { statement("call_function", PackageResources.call_function_sql) }
    var keepCursor: PostgresStatement { statement("keep_cursor", PackageResources.keep_cursor_sql) }
    /// A script.
    var leaveSession: PostgresStatement { statement("leave_session", PackageResources.leave_session_sql) }

    // Pages
    var findNews: PostgresStatement { statement("find_news", PackageResources.find_news_sql) }
    var readPage: PostgresStatement { statement("read_page", PackageResources.read_page_sql) }
    var isHeld: PostgresStatement { statement("is_held", PackageResources.is_held_sql) }
    var forgetPages: PostgresStatement { statement("forget_pages", PackageResources.forget_pages_sql) }
    var beginAnew: PostgresStatement { statement("begin_anew", PackageResources.begin_anew_sql) }

    // Waiting changes
    var waitBehind: PostgresStatement { statement("wait_behind", PackageResources.wait_behind_sql) }
    var putOff: PostgresStatement { statement("put_off", PackageResources.put_off_sql) }
    var findWaiting: PostgresStatement { statement("find_waiting", PackageResources.find_waiting_sql) }
    var finishWaiting: PostgresStatement { statement("finish_waiting", PackageResources.finish_waiting_sql) }
    var failWaiting: PostgresStatement { statement("fail_waiting", PackageResources.fail_waiting_sql) }
    var measureWaiting: PostgresStatement { statement("measure_waiting", PackageResources.measure_waiting_sql) }

    // Operators
    var awaitState: PostgresStatement { statement("await_state", PackageResources.await_state_sql) }
    var listWaiting: PostgresStatement { statement("list_waiting", PackageResources.list_waiting_sql) }
    var readWaiting: PostgresStatement { statement("read_waiting", PackageResources.read_waiting_sql) }
    var skipWaiting: PostgresStatement { statement("skip_waiting", PackageResources.skip_waiting_sql) }

    // The start
    var findRights: PostgresStatement { statement("find_rights", PackageResources.find_rights_sql) }
    var findFunctions: PostgresStatement { statement("find_functions", PackageResources.find_functions_sql) }
    var findTables: PostgresStatement { statement("find_tables", PackageResources.find_tables_sql) }
    /// A script.
    var makeState: PostgresStatement { statement("make_state", PackageResources.make_state_sql) }
    var insertState: PostgresStatement { statement("insert_state", PackageResources.insert_state_sql) }

    /// All but scripts, for tests that prepare each.
    var all: [PostgresStatement] {
        [
            limitTransaction, lockState, hasState, restorePath, callFunction, keepCursor, findNews, readPage, isHeld, forgetPages, beginAnew,
            waitBehind, putOff, findWaiting, finishWaiting, failWaiting, measureWaiting, awaitState, listWaiting, readWaiting,
            skipWaiting, findRights, findFunctions, findTables, insertState,
        ]
    }

    private func statement(_ name: String, _ bytes: [UInt8]) -> PostgresStatement {
        let names = [
            "{state}": tables.state.quoted, "{pages}": tables.pages.quoted, "{waiting}": tables.waiting.quoted,
            "{function}": function.quoted, "{timeout}": String(timeout),
            "{change}": String(decoding: PackageResources.waiting_change_sql, as: UTF8.self),
        ]
        var sql = String(decoding: bytes, as: UTF8.self)
        for (placeholder, name) in names { sql.replace(placeholder, with: name) }
        return PostgresStatement(name: name, sql: sql)
    }
}
