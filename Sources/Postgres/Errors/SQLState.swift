// SPDX-License-Identifier: Apache-2.0

/// A five-character code of PostgreSQL (its manual, appendix A). Callers decide by codes and not by messages, which are
/// translated and reworded.
package struct SQLState: RawRepresentable, Sendable, Hashable, CustomStringConvertible {
    package let rawValue: String

    package init(rawValue: String) {
        self.rawValue = rawValue
    }

    package var description: String { rawValue }

    /// The first two characters: the class.
    package var classCode: Substring { rawValue.prefix(2) }

    package static let protocolViolation = SQLState(rawValue: "08P01")
    /// Also the code of "cached plan must not change result type".
    package static let featureNotSupported = SQLState(rawValue: "0A000")
    package static let cardinalityViolation = SQLState(rawValue: "21000")
    package static let uniqueViolation = SQLState(rawValue: "23505")
    package static let readOnlyTransaction = SQLState(rawValue: "25006")
    package static let invalidStatementName = SQLState(rawValue: "26000")
    package static let invalidCatalogName = SQLState(rawValue: "3D000")
    package static let invalidSchemaName = SQLState(rawValue: "3F000")
    package static let serializationFailure = SQLState(rawValue: "40001")
    package static let deadlockDetected = SQLState(rawValue: "40P01")
    package static let insufficientPrivilege = SQLState(rawValue: "42501")
    package static let duplicateSchema = SQLState(rawValue: "42P06")
    package static let undefinedFunction = SQLState(rawValue: "42883")
    package static let undefinedTable = SQLState(rawValue: "42P01")
    package static let undefinedColumn = SQLState(rawValue: "42703")
    package static let lockNotAvailable = SQLState(rawValue: "55P03")
    package static let queryCanceled = SQLState(rawValue: "57014")
    package static let databaseDropped = SQLState(rawValue: "57P04")
}
