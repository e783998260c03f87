// SPDX-License-Identifier: Apache-2.0

package import Postgres

// Codes that only tests look for.
extension SQLState {
    package static let characterNotInRepertoire = SQLState(rawValue: "22021")
    package static let invalidTextRepresentation = SQLState(rawValue: "22P02")
    package static let checkViolation = SQLState(rawValue: "23514")
    package static let idleInTransactionTimeout = SQLState(rawValue: "25P03")
    package static let invalidPassword = SQLState(rawValue: "28P01")
    package static let syntaxError = SQLState(rawValue: "42601")
    package static let tooManyConnections = SQLState(rawValue: "53300")
    package static let adminShutdown = SQLState(rawValue: "57P01")
    package static let raiseException = SQLState(rawValue: "P0001")
}
