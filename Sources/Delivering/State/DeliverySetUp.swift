// SPDX-License-Identifier: Apache-2.0

import Postgres
import VerificationQueue

/// Looks at what a reader needs before it delivers anything, and makes its state where there is none.
struct DeliverySetUp: Sendable {
    /// The columns of `find_rights.sql`.
    enum RightsColumn: Int, RowColumn { case role, mayEnter, hasType, mayRead }
    /// The columns of `find_functions.sql`.
    enum FunctionColumn: Int, RowColumn { case arguments, takesAChange, isPlain, mayBeCalled }
    /// The columns of `find_tables.sql`.
    enum TableColumn: Int, RowColumn { case tableName, columns }

    let store: DeliveryStore
    /// Where to begin without a state; nil: nowhere.
    let start: DeliveryStart?

    private var sql: DeliverySQL { store.sql }
    private var connection: PostgresConnection { store.connection }

    /// - Throws: ``DeliveryProblem``.
    /// - Returns: true when the state was made.
    func prepare() async throws -> Bool {
        try await SchemaMigrator.refuseSuperuser(connection)
        let role = try await checkRights()
        try await checkFunction(role)
        guard try await !findState() else {
            guard try await connection.execute(sql.hasState)[0].bool(0) else { throw DeliveryProblem.stateIsEmpty(sql.tables.state) }
            return false
        }
        guard let start else { throw DeliveryProblem.stateIsMissing(sql.tables.state) }
        do {
            try await make(start)
            return true
        } catch let error as PostgresError where ["42P07", "42710", "23505"].contains(error.sqlState?.rawValue) {
            // Another deliverer made it meanwhile.
            guard try await findState() else { throw error }
            return false
        }
    }

    private func checkRights() async throws -> String {
        let row = try await connection.execute(sql.findRights)[0].named(by: RightsColumn.self)
        let role = try row.string(.role)
        guard try row.bool(.mayEnter) else { throw DeliveryProblem.mayNotReadFeed(role: role) }
        guard try row.bool(.hasType) else { throw DeliveryProblem.schemaIsOlder }
        guard try row.bool(.mayRead) else { throw DeliveryProblem.mayNotReadFeed(role: role) }
        return role
    }

    private func checkFunction(_ role: String) async throws {
        let name = sql.function
        let rows = try await connection.execute(sql.findFunctions, [.text(name.schema), .text(name.name)])
        guard let row = rows.first?.named(by: FunctionColumn.self) else { throw DeliveryProblem.noFunction(name) }
        guard try row.bool(.takesAChange) else {
            throw DeliveryProblem.functionTakesOthers(name, arguments: try row.string(.arguments))
        }
        guard try row.bool(.isPlain) else { throw DeliveryProblem.functionIsNotPlain(name) }
        guard try row.bool(.mayBeCalled) else { throw DeliveryProblem.mayNotCall(name, role: role) }
    }

    /// - Returns: false when there is none.
    func findState() async throws -> Bool {
        let tables = sql.tables
        let expected = tables.columns
        let rows = try await connection.execute(
            sql.findTables, [.text(tables.state.schema), .textArray(expected.keys.sorted())])
        var found: [String: String] = [:]
        for row in rows {
            let columns = row.named(by: TableColumn.self)
            found[try columns.string(.tableName)] = try columns.string(.columns)
        }
        guard found.removeValue(forKey: "") != nil else { throw DeliveryProblem.noSchema(tables.state.schema) }
        for table in [tables.state, tables.pages, tables.waiting] {
            if let columns = found[table.name], columns != expected[table.name] {
                throw DeliveryProblem.stateIsAnother(table, columns: columns)
            }
        }
        guard !found.isEmpty else { return false }
        if let missing = [tables.state, tables.pages, tables.waiting].first(where: { found[$0.name] == nil }) {
            throw DeliveryProblem.stateIsIncomplete(tables.state, missing: missing.description)
        }
        return true
    }

    private func make(_ start: DeliveryStart) async throws {
        do {
            try await connection.withTransaction { connection in
                try await store.limit(connection)
                try await connection.executeScript(sql.makeState.sql, timeout: store.timeout)
                _ = try await connection.execute(sql.insertState, [.text(start.time)], timeout: store.timeout)
            }
        } catch let error as PostgresError where ["22007", "22008"].contains(error.sqlState?.rawValue) {
            throw DeliveryProblem.badStart(start.time)
        }
    }
}
