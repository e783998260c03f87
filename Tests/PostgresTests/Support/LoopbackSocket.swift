// SPDX-License-Identifier: Apache-2.0

import EventSources

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Blocking TCP sockets at 127.0.0.1.
enum LoopbackSocket {
    /// A socket that listens at a free port.
    static func listening(backlog: Int32 = 64) throws(SystemCallError) -> (socket: Int32, port: Int) {
        let descriptor = try make()
        var address = Self.address(port: 0)
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isListening = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                bind(descriptor, address, length) == 0 && getsockname(descriptor, address, &length) == 0
            }
        }
        guard isListening, listen(descriptor, backlog) == 0 else {
            throw SystemCallError(call: "bind or listen")
        }
        return (descriptor, Int(UInt16(bigEndian: address.sin_port)))
    }

    static func connected(to port: Int) throws(SystemCallError) -> Int32 {
        let descriptor = try make()
        var address = Self.address(port: port)
        let result = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                connect(descriptor, address, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard result == 0 else {
            let error = SystemCallError(call: "connect")
            close(descriptor)
            throw error
        }
        return descriptor
    }

    /// Sends everything; false when the peer is gone.
    static func sendAll(_ bytes: ArraySlice<UInt8>, to descriptor: Int32) -> Bool {
        var rest = bytes
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { send(descriptor, $0.baseAddress, $0.count, CInt(MSG_NOSIGNAL)) }
            guard count > 0 else { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }

    private static func make() throws(SystemCallError) -> Int32 {
        #if canImport(Glibc)
            let descriptor = socket(AF_INET, CInt(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        #else
            let descriptor = socket(AF_INET, SOCK_STREAM, 0)
        #endif
        guard descriptor >= 0 else { throw SystemCallError(call: "socket") }
        return descriptor
    }

    private static func address(port: Int) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(port).bigEndian
        address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
        return address
    }
}
