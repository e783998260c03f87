// SPDX-License-Identifier: Apache-2.0

package import Postgres

extension RowColumn {
    /// The names that the columns have in SQL, by their positions: `leaseToken` is `lease_token`, `jobIDs` is `job_ids`.
    package static var columnNames: [String] {
        let columns = Array(allCases)
        precondition(columns.map(\.rawValue) == Array(columns.indices), "the columns are not counted from 0")
        return columns.map { snakeCase("\($0)") }
    }

    private static func snakeCase(_ name: String) -> String {
        let letters = Array(name)
        var result = ""
        for (index, letter) in letters.enumerated() {
            if letter.isUppercase && index > 0 && (!letters[index - 1].isUppercase || beginsWord(letters[index...])) {
                result += "_"
            }
            result += letter.lowercased()
        }
        return result
    }

    /// Whether a capital letter after a capital letter begins a word, as the `S` of `URLSession` and not as the `D` of `IDs`.
    private static func beginsWord(_ rest: ArraySlice<Character>) -> Bool {
        rest.dropFirst().first?.isLowercase == true && !(rest.dropFirst() == ["s"])
    }
}

extension PostgresConnection {
    /// The names of the columns that a statement returns.
    ///
    /// The statement runs with nulls as parameters, in a database transaction that is rolled back.
    package nonisolated func columnNames(of sql: String) async throws -> [String] {
        _ = try await execute("begin")
        do {
            _ = try await execute("prepare described as \(sql)")
            let count = try await execute(
                "select cardinality(parameter_types) from pg_prepared_statements where name = 'described'"
            )[0].int32(0)
            let nulls = count == 0 ? "" : "(" + Array(repeating: "null", count: Int(count)).joined(separator: ", ") + ")"
            let names = try await execute("execute described\(nulls)").columnNames
            _ = try await execute("rollback")
            _ = try await execute("deallocate described")
            return names
        } catch {
            _ = try? await execute("rollback")
            _ = try? await execute("deallocate described")
            throw error
        }
    }
}
