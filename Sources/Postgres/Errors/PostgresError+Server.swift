// SPDX-License-Identifier: Apache-2.0

import CPostgres

extension PostgresError {
    /// The error that a result of the server holds; `FATAL` and `PANIC` are the connection's end.
    init(result: OpaquePointer, statementName: String?) {
        let severity = Self.field(.severity, of: result) ?? Self.field(.localSeverity, of: result)
        let sqlState = Self.field(.sqlState, of: result).map(SQLState.init(rawValue:))
        let message = Self.field(.primaryMessage, of: result)
        // libpq makes such results itself, without a SQLSTATE, when it lost the connection.
        let isLoss = severity == "FATAL" || severity == "PANIC" || sqlState == nil
        self.init(
            isLoss ? .connectionLost : .server,
            message: message ?? Self.firstLine(of: String(cString: PQresultErrorMessage(result))),
            sqlState: sqlState,
            constraint: Self.field(.constraintName, of: result),
            statementName: statementName
        )
    }

    /// The reason that libpq gives for a failed attempt to connect.
    ///
    /// libpq has no call for the SQLSTATE of a refused start-up; it is read from the message, which contains it when
    /// the connection's verbosity is `PQERRORS_VERBOSE`: `…failed: FATAL:  28P01: password authentication failed…`.
    init(connectMessage: String) {
        let text = Self.firstLine(of: connectMessage)
        guard let found = Self.sqlState(in: text) else {
            // libpq's own word, of a server that asks for a password: it goes on asking.
            self.init(text.contains("no password supplied") ? .authentication : .connect, message: text)
            return
        }
        let message = String(text[..<found.range.lowerBound] + text[found.range.upperBound...])
        let kind: Kind =
            switch (found.state, found.state.classCode) {
            case (.databaseDropped, _): .connect
            case (_, "53"), (_, "57"), (_, "58"): .unavailable
            case (.protocolViolation, _) where Self.poolerIsWithoutServer(message): .unavailable
            case (_, "28"): .authentication
            default: .connect
            }
        self.init(kind, message: message, sqlState: found.state)
    }

    /// PgBouncer refuses whatever it refuses with SQLSTATE 08P01, a wrong password too; the message alone tells what will pass.
    private static func poolerIsWithoutServer(_ message: String) -> Bool {
        [
            "server_login_retry", "server down", "server conn crashed", "no more connections allowed",
            "the database system is ",
        ].contains { message.contains($0) }
    }

    static func firstLine(of text: String) -> String {
        text.split(separator: "\n", maxSplits: 1, omittingEmptySubsequences: true).first.map(String.init) ?? ""
    }

    /// Finds `:  XXXXX: ` (two blanks, as the server writes after the severity); the range covers `XXXXX: `.
    private static func sqlState(in text: String) -> (state: SQLState, range: Range<String.Index>)? {
        var rest = text[...]
        while let colon = rest.firstIndex(of: ":") {
            rest = rest[text.index(after: colon)...]
            guard rest.hasPrefix("  ") else { continue }
            let code = rest.dropFirst(2).prefix(5)
            let isCode =
                code.utf8.count == 5
                && code.utf8.allSatisfy { byte in
                    (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
                        || (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte)
                }
            guard isCode, text[code.endIndex...].hasPrefix(": ") else { continue }
            return (SQLState(rawValue: String(code)), code.startIndex..<text.index(code.endIndex, offsetBy: 2))
        }
        return nil
    }

    /// libpq's `PG_DIAG_…`: character macros, which Swift does not import.
    private enum ErrorField: Unicode.Scalar {
        /// Not translated, unlike the plain severity.
        case severity = "V"
        /// A pooler's own errors have only this one, in English; PostgreSQL since 9.6 sends both.
        case localSeverity = "S"
        case sqlState = "C"
        case primaryMessage = "M"
        case constraintName = "n"
    }

    private static func field(_ field: ErrorField, of result: OpaquePointer) -> String? {
        PQresultErrorField(result, CInt(field.rawValue.value)).map { String(cString: $0) }
    }
}
