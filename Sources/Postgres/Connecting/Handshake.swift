// SPDX-License-Identifier: Apache-2.0

import CPostgres
import EventSources
import Glibc

/// Makes one connection to one address, on the queue that the connection will live on.
actor Handshake {
    private let executor: SerialQueueExecutor

    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    init(executor: SerialQueueExecutor) {
        self.executor = executor
    }

    /// - Parameter parameters: libpq's, with a numeric address or the folder of a Unix socket, so that nothing is
    ///   looked up.
    /// - Throws: when the server is not there, refuses, or has not finished by `deadline`, or the task is cancelled; no
    ///   descriptor stays open.
    func connect(
        _ parameters: [String: String],
        until deadline: ContinuousClock.Instant
    ) async throws(PostgresError) -> ConnectionHandle {
        let handle = try start(parameters)
        guard PQstatus(handle.pointer) != CONNECTION_BAD else {
            throw PostgresError(connectMessage: String(cString: PQerrorMessage(handle.pointer)))
        }
        // libpq's manual: begin as if it had said "writing".
        var direction = SocketReadiness.Direction.writable
        while true {
            try await wait(for: direction, of: handle, until: deadline)
            switch PQconnectPoll(handle.pointer) {
            case PGRES_POLLING_READING:
                direction = .readable
            case PGRES_POLLING_WRITING:
                direction = .writable
            case PGRES_POLLING_OK:
                guard PQsetnonblocking(handle.pointer, 1) == 0 else {
                    throw PostgresError(.connect, message: handle.errorMessage)
                }
                return handle
            default:
                throw PostgresError(connectMessage: String(cString: PQerrorMessage(handle.pointer)))
            }
        }
    }

    private func start(_ parameters: [String: String]) throws(PostgresError) -> ConnectionHandle {
        var keywords: [UnsafeMutablePointer<CChar>?] = []
        var values: [UnsafeMutablePointer<CChar>?] = []
        for (keyword, value) in parameters {
            keywords.append(strdup(keyword))
            values.append(strdup(value))
        }
        defer {
            for string in keywords + values {
                free(string)
            }
        }
        let pointer = (keywords + [nil]).map { UnsafePointer($0) }.withUnsafeBufferPointer { keywords in
            (values + [nil]).map { UnsafePointer($0) }.withUnsafeBufferPointer { values in
                PQconnectStartParams(keywords.baseAddress, values.baseAddress, 0)
            }
        }
        guard let pointer else {
            throw PostgresError(.connect, message: "libpq is out of memory")
        }
        return ConnectionHandle(pointer)
    }

    /// Watches the socket anew each time: libpq may have replaced it since.
    private func wait(
        for direction: SocketReadiness.Direction,
        of handle: ConnectionHandle,
        until deadline: ContinuousClock.Instant
    ) async throws(PostgresError) {
        let readiness: SocketReadiness
        do {
            readiness = try SocketReadiness(descriptor: PQsocket(handle.pointer), executor: executor)
        } catch {
            throw PostgresError(.connect, message: error.description)
        }
        switch await readiness.wait(for: direction, until: deadline) {
        case .ready:
            return
        case .timedOut:
            let host = PQhost(handle.pointer).map { String(cString: $0) } ?? ""
            let port = PQport(handle.pointer).map { String(cString: $0) } ?? ""
            throw PostgresError(.connectTimedOut, message: "no answer in time from \"\(host)\", port \(port)")
        case .cancelled:
            throw PostgresError(.cancelled, message: "cancelled while connecting")
        }
    }
}
