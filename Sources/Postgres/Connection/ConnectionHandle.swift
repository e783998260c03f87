// SPDX-License-Identifier: Apache-2.0

import CPostgres

/// Owns a connection of libpq and finishes it at its own end.
///
/// Readiness of its socket is watched through a duplicate descriptor, so that it may be finished at any time.
// Unchecked: libpq allows any thread, one at a time; the one actor that holds the handle sees to that.
final class ConnectionHandle: @unchecked Sendable {
    let pointer: OpaquePointer

    /// Whether the server ended a commit's wait for a synchronous standby, and nobody asked since.
    private var hasEndedReplicationWait = false

    /// Takes the connection over.
    init(_ pointer: OpaquePointer) {
        self.pointer = pointer
        // libpq writes notices to standard error otherwise, and they may quote rows. Of all notices one counts: see
        // `takeEndOfReplicationWait()`. The receiver is called by libpq's calls on this connection, which this object outlives.
        let receiver: PQnoticeReceiver = { owner, notice in
            guard let owner, ConnectionHandle.tellsEndOfReplicationWait(notice) else { return }
            Unmanaged<ConnectionHandle>.fromOpaque(owner).takeUnretainedValue().hasEndedReplicationWait = true
        }
        PQsetNoticeReceiver(pointer, receiver, Unmanaged.passUnretained(self).toOpaque())
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

    /// Whether the server ended the wait of the last commit for a synchronous standby: it answers as if all were well, but the
    /// commit is on no standby, and a failover may take it back. Forgets it.
    func takeEndOfReplicationWait() -> Bool {
        defer { hasEndedReplicationWait = false }
        return hasEndedReplicationWait
    }

    /// By the routine of the server that sends the notice. Its code is shared by every `raise warning`, and its text is translated.
    private static func tellsEndOfReplicationWait(_ notice: OpaquePointer?) -> Bool {
        // PG_DIAG_SOURCE_FUNCTION, a character in libpq's header.
        guard let routine = PQresultErrorField(notice, CInt(UInt8(ascii: "R"))) else { return false }
        return String(cString: routine) == "SyncRepWaitForLSN"
    }

    /// libpq's last message, up to its first line break.
    var errorMessage: String {
        PostgresError.firstLine(of: String(cString: PQerrorMessage(pointer)))
    }
}
