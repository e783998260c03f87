// SPDX-License-Identifier: Apache-2.0

import CPostgres

/// The rows that a statement returned, and how many it affected.
///
/// Values stay in the server's binary form until they are asked for and are decoded where the caller runs.
// Unchecked: the result belongs to this object alone, and nothing changes it until its end.
package final class PostgresResult: RandomAccessCollection, @unchecked Sendable {
    package typealias Element = PostgresRow
    package typealias Index = Int

    let pointer: OpaquePointer
    /// The number of rows.
    package let count: Int
    package let columnCount: Int
    /// Found once for all rows. Not an array, whose reference would be counted at every value.
    private let columns: UnsafeMutableBufferPointer<Column>

    struct Column {
        let typeID: UInt32
        /// Nil for a type that this client doesn't know.
        let type: PostgresType?
    }

    /// Takes the result over, to clear it at its own end.
    init(_ pointer: OpaquePointer) {
        self.pointer = pointer
        count = Int(PQntuples(pointer))
        columnCount = Int(PQnfields(pointer))
        columns = .allocate(capacity: columnCount)
        for position in 0..<columnCount {
            let typeID = PQftype(pointer, CInt(position))
            columns.initializeElement(at: position, to: Column(typeID: typeID, type: PostgresType(rawValue: typeID)))
        }
    }

    deinit {
        PQclear(pointer)
        columns.deallocate()
    }

    package var startIndex: Int { 0 }
    package var endIndex: Int { count }

    package subscript(position: Int) -> PostgresRow {
        precondition(position >= 0 && position < count, "there is no row \(position)")
        return PostgresRow(result: self, index: CInt(truncatingIfNeeded: position))
    }

    /// - Parameter position: that of a column that is there.
    func column(_ position: Int) -> Column {
        columns[position]
    }

    /// The columns' names as the server gave them; they are there without rows, too.
    package var columnNames: [String] {
        (0..<columnCount).map(columnName)
    }

    func columnName(_ position: Int) -> String {
        PQfname(pointer, CInt(truncatingIfNeeded: position)).map { String(cString: $0) } ?? "column \(position)"
    }

    /// Rows inserted, updated, deleted, or selected; 0 for statements that have no such number.
    package var affectedRows: Int {
        Int(String(cString: PQcmdTuples(pointer))) ?? 0
    }

    /// The server's word for what it did, such as `INSERT 0 1` or `ROLLBACK`.
    var commandTag: String {
        String(cString: PQcmdStatus(pointer))
    }
}
