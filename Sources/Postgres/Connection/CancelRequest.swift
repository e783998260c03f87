// SPDX-License-Identifier: Apache-2.0

import CPostgres

/// libpq's means to cancel what a connection's server is doing, by a connection of its own.
// Unchecked: libpq's manual allows `PQcancel` from any thread; this object is its only owner.
final class CancelRequest: @unchecked Sendable {
    private let pointer: OpaquePointer

    /// Nil when libpq has no memory left or the connection is broken.
    init?(_ handle: ConnectionHandle) {
        guard let pointer = PQgetCancel(handle.pointer) else { return nil }
        self.pointer = pointer
    }

    deinit {
        PQfreeCancel(pointer)
    }

    /// Sends the request and waits until the server has passed it on. Blocks: for a ``BlockingQueue`` only.
    ///
    /// A failure is not told: without effect is what a request may be anyway.
    func send() {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: 256) { message in
            _ = PQcancel(pointer, message.baseAddress, CInt(message.count))
        }
    }
}
