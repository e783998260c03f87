// SPDX-License-Identifier: Apache-2.0

import CPostgres

/// Owns a connection of libpq and finishes it at its own end.
///
/// Readiness of its socket is watched through a duplicate descriptor, so that it may be finished at any time.
// Unchecked: libpq allows any thread, one at a time; the one actor that holds the handle sees to that.
final class ConnectionHandle: @unchecked Sendable {
    let pointer: OpaquePointer

    /// Takes the connection over.
    init(_ pointer: OpaquePointer) {
        self.pointer = pointer
        // libpq writes notices to standard error otherwise, and they may quote rows.
        PQsetNoticeReceiver(pointer, { _, _ in }, nil)
        // Puts the SQLSTATE into the message of a refused start-up, where it has no other place.
        PQsetErrorVerbosity(pointer, PQERRORS_VERBOSE)
    }

    deinit {
        PQfinish(pointer)
    }

    var socket: CInt { PQsocket(pointer) }

    /// The server's process as the start-up named it; a pooler makes one up.
    var serverProcessID: Int32 { PQbackendPID(pointer) }

    /// Whether a database transaction is open, a failed one included.
    var isInTransaction: Bool { PQtransactionStatus(pointer) != PQTRANS_IDLE }

    /// libpq's last message, up to its first line break.
    var errorMessage: String {
        PostgresError.firstLine(of: String(cString: PQerrorMessage(pointer)))
    }
}
