// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The service manager that started this process, told of its state by sd_notify(3)'s protocol: datagrams of
/// `NAME=value` lines to the socket that `NOTIFY_SOCKET` names.
///
/// Telling never fails for the teller: a manager that doesn't listen is no reason to stop.
package struct ServiceManager: Sendable {
    /// What it can be told.
    package enum Notice: Sendable, Equatable {
        case ready
        case stopping
        /// The watchdog's sign of life.
        case watchdog
        /// One line for people.
        case status(String)
        /// Starting or stopping goes on, and takes at least so much longer from now.
        case extendTimeout(Duration)

        var line: String {
            switch self {
            case .ready: "READY=1"
            case .stopping: "STOPPING=1"
            case .watchdog: "WATCHDOG=1"
            case .status(let text): "STATUS=" + String(text.map { $0.isNewline ? " " : $0 })
            case .extendTimeout(let duration): "EXTEND_TIMEOUT_USEC=\(Int64(duration / .microseconds(1)))"
            }
        }
    }

    private let socketPath: String

    /// - Parameter socketPath: `NOTIFY_SOCKET`: an absolute path, or a name that begins with `@` and lies in the
    ///   abstract namespace. Nil for nil, and for what is neither.
    package init?(socketPath: String?) {
        guard let socketPath, socketPath.hasPrefix("/") || socketPath.hasPrefix("@"), socketPath.utf8.count > 1,
            socketPath.utf8.count < MemoryLayout.size(ofValue: sockaddr_un().sun_path)
        else { return nil }
        self.socketPath = socketPath
    }

    /// Sends some notices as one datagram. Never waits.
    package func tell(_ notices: Notice...) {
        tell(notices)
    }

    package func tell(_ notices: [Notice]) {
        let message = Array(notices.map(\.line).joined(separator: "\n").utf8)
        let descriptor = socket(AF_UNIX, Self.datagram | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { return }
        defer { close(descriptor) }
        var (address, length) = Self.address(socketPath)
        withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                _ = sendto(
                    descriptor, message, message.count, Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT), pointer, length)
            }
        }
    }

    private static let datagram = Int32(SOCK_DGRAM.rawValue)

    /// An abstract name begins with a zero byte and ends with the address's length (unix(7)).
    private static func address(_ path: String) -> (sockaddr_un, socklen_t) {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        var bytes = Array(path.utf8)
        let isAbstract = bytes.first == UInt8(ascii: "@")
        if isAbstract {
            bytes[0] = 0
        }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
        let offset = MemoryLayout.offset(of: \sockaddr_un.sun_path) ?? 2
        return (address, socklen_t(offset + bytes.count + (isAbstract ? 0 : 1)))
    }
}
