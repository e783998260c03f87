// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Postgres
import Schema

/// The parameters of a statement about rows: an array for each column, then what is one for all rows.
///
/// A column bears the name that the statement's own list of arrays gives it. The server knows positions only: a test compares names
/// and types with the list of each statement.
struct Columns<Row> {
    /// Of the arrays, in the order of the parameters.
    private(set) var names: [StaticString] = []

    private(set) var parameters: [PostgresParameter] = []

    private let rows: [Row]

    /// - Parameter fill: adds the parameters, in the order of the statement's numbers.
    init(_ rows: [Row], _ fill: (inout Columns) -> Void) {
        self.rows = rows
        names.reserveCapacity(Self.most)
        parameters.reserveCapacity(Self.most)
        fill(&self)
    }

    /// The most parameters of a statement, about.
    private static var most: Int { 24 }

    mutating func text(_ name: StaticString, _ value: (Row) -> String?) { add(name, .textArray(rows.map(value))) }

    mutating func int4(_ name: StaticString, _ value: (Row) -> Int32?) { add(name, .int4Array(rows.map(value))) }

    mutating func int8(_ name: StaticString, _ value: (Row) -> Int64?) { add(name, .int8Array(rows.map(value))) }

    mutating func bool(_ name: StaticString, _ value: (Row) -> Bool?) { add(name, .boolArray(rows.map(value))) }

    mutating func double(_ name: StaticString, _ value: (Row) -> Double?) { add(name, .doubleArray(rows.map(value))) }

    mutating func uuid(_ name: StaticString, _ value: (Row) -> UUID?) { add(name, .uuidArray(rows.map(value))) }

    mutating func timestamp(_ name: StaticString, _ value: (Row) -> Date?) {
        add(name, .timestampArray(rows.map { value($0).map(PostgresTimestamp.init) }))
    }

    /// What is one for all rows: after all columns, in the order of the statement's numbers.
    mutating func scalar(_ parameter: PostgresParameter) { parameters.append(parameter) }

    private mutating func add(_ name: StaticString, _ column: PostgresParameter) {
        names.append(name)
        parameters.append(column)
    }
}

extension PostgresConnection {
    /// Sends a statement about rows together with the next one; nothing without rows.
    nonisolated func enqueue<Row>(
        _ file: SQLFile, about rows: [Row], _ fill: (inout Columns<Row>) -> Void
    ) async throws(PostgresError) {
        guard !rows.isEmpty else { return }
        try await enqueue(file.statement, Columns(rows, fill).parameters)
    }
}
