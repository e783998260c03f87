// SPDX-License-Identifier: Apache-2.0

import EventSources
import FoundationEssentials
import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// The socket of a service manager: takes the notices that a process sends, and keeps them.
package final class NoticeSocket: Sendable {
    /// What `NOTIFY_SOCKET` is set to.
    package let path: String

    private let descriptor: Int32
    private let queue = BlockingQueue(label: "counterfoil.test.notices")
    private let received = Mutex<[String]>([])

    /// Every line so far.
    package var lines: [String] { received.withLock { $0 } }

    /// - Parameter isAbstract: bound to a name of the abstract namespace, not to a file.
    package init(isAbstract: Bool = false) throws {
        let name = "counterfoil-\(UUID())"
        path = isAbstract ? "@\(name)" : FileManager.default.temporaryDirectory.appendingPathComponent(name).path
        descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        var bytes = Array(path.utf8)
        if isAbstract {
            bytes[0] = 0
        }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
        let length = socklen_t(2 + bytes.count + (isAbstract ? 0 : 1))
        let bound = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, length) }
        }
        guard descriptor >= 0, bound == 0 else { throw SystemCallError(call: "bind") }
        var timeout = timeval(tv_sec: 1, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &timeout, socklen_t(MemoryLayout<timeval>.size))
    }

    deinit {
        close(descriptor)
        if path.hasPrefix("/") {
            unlink(path)
        }
    }

    /// Waits until so many lines have begun with `text`, and returns the last of them.
    @discardableResult
    package func line(
        beginningWith text: String, count: Int = 1, timeout: Duration = .seconds(60)
    ) async throws -> String {
        let deadline = ContinuousClock.now + timeout
        while ContinuousClock.now < deadline {
            let found = lines.filter { $0.hasPrefix(text) }
            if found.count >= count { return found[count - 1] }
            let message = await queue.run(until: deadline) { [descriptor] in
                var buffer = [UInt8](repeating: 0, count: 4096)
                let size = recv(descriptor, &buffer, buffer.count, 0)
                return size > 0 ? String(decoding: buffer[..<size], as: UTF8.self) : ""
            }
            received.withLock { $0 += (message ?? "").split(separator: "\n").map(String.init) }
        }
        throw WaitingTooLong(condition: "a notice that begins with \(text); there were \(lines)")
    }
}
