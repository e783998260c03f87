// SPDX-License-Identifier: Apache-2.0

import EventSources
import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Stands between clients and a server on loopback, and breaks what passes when a test says so.
final class DatabaseProxy: Sendable {
    enum Behaviour: Sendable {
        case forward
        /// Once a client has sent the text, the server gets it too, but in place of its answer come these bytes, and the
        /// connection is cut.
        case cutAnswer(to: String, after: [UInt8] = [])
        /// Likewise, but nothing comes: the connection stays open and is silent from then on, as when a network goes away.
        case silenceAnswer(to: String)
        /// Of what a client sends, nothing from the statement on that is this text reaches the server.
        case holdBack(from: String)
        /// New connections are taken and never answered.
        case ignore
    }

    private struct State {
        var behaviour: Behaviour
        var sockets: Set<Int32> = []
        var isClosed = false
    }

    /// What a connection has come to.
    private enum Fate {
        case alive
        case toBeCut(after: [UInt8])
        case silent
        /// The server hears nothing more of the client, which hears the server.
        case heldBack
    }

    let port: Int
    private let listener: Int32
    private let serverPort: Int
    private let state: Mutex<State>
    private let queue = BlockingQueue(label: "test.proxy")

    init(to serverPort: Int, behaviour: Behaviour = .forward) throws(SystemCallError) {
        (listener, port) = try LoopbackSocket.listening()
        self.serverPort = serverPort
        state = Mutex(State(behaviour: behaviour))
        queue.perform { self.acceptAll() }
    }

    func behave(_ behaviour: Behaviour) {
        state.withLock { $0.behaviour = behaviour }
    }

    /// Breaks all connections; new ones are still taken.
    func cutAll() {
        state.withLock { state in
            for socket in state.sockets {
                shutdown(socket, CInt(SHUT_RDWR))
            }
        }
    }

    /// Breaks all connections and takes no more.
    func end() {
        state.withLock { $0.isClosed = true }
        shutdown(listener, CInt(SHUT_RDWR))
        cutAll()
    }

    private func acceptAll() {
        while true {
            let client = accept(listener, nil, nil)
            guard client >= 0 else { break }
            let (isClosed, behaviour) = state.withLock { state in
                state.sockets.insert(client)
                return (state.isClosed, state.behaviour)
            }
            if isClosed {
                forget(client)
            } else if case .ignore = behaviour {
                continue
            } else if let server = try? LoopbackSocket.connected(to: serverPort) {
                state.withLock { _ = $0.sockets.insert(server) }
                queue.perform { self.pump(client, server) }
            } else {
                forget(client)
            }
        }
        close(listener)
    }

    /// Passes on what either side sends, until one of them ends.
    private func pump(_ client: Int32, _ server: Int32) {
        var fate = Fate.alive
        var buffer = [UInt8](repeating: 0, count: 65_536)
        var events = [
            pollfd(fd: client, events: Int16(POLLIN), revents: 0),
            pollfd(fd: server, events: Int16(POLLIN), revents: 0),
        ]
        while poll(&events, 2, -1) > 0 {
            if events[0].revents != 0 {
                let count = read(client, &buffer, buffer.count)
                guard count > 0 else { break }
                var request = buffer[..<count]
                fate = self.fate(after: request, of: fate)
                if case .holdBack(let text) = state.withLock({ $0.behaviour }), let place = request.firstRange(of: Array(text.utf8))
                {
                    // Before a statement's text in its message: the type, four bytes of length, and an empty name.
                    request = request[..<max(0, place.lowerBound - 6)]
                } else if case .heldBack = fate {
                    continue
                }
                guard LoopbackSocket.sendAll(request, to: server) else { break }
            }
            if events[1].revents != 0 {
                let count = read(server, &buffer, buffer.count)
                if case .silent = fate {
                    if count <= 0 {
                        events[1].fd = -1
                    }
                    continue
                }
                guard count > 0 else { break }
                if case .toBeCut(let last) = fate {
                    _ = LoopbackSocket.sendAll(last[...], to: client)
                    break
                }
                guard LoopbackSocket.sendAll(buffer[..<count], to: client) else { break }
            }
        }
        forget(client)
        forget(server)
    }

    private func fate(after request: ArraySlice<UInt8>, of fate: Fate) -> Fate {
        switch state.withLock({ $0.behaviour }) {
        case .cutAnswer(let text, let last) where request.contains(Array(text.utf8)): .toBeCut(after: last)
        case .silenceAnswer(let text) where request.contains(Array(text.utf8)): .silent
        case .holdBack(let text) where request.contains(Array(text.utf8)): .heldBack
        default: fate
        }
    }

    private func forget(_ socket: Int32) {
        state.withLock { state in
            _ = state.sockets.remove(socket)
            close(socket)
        }
    }
}
