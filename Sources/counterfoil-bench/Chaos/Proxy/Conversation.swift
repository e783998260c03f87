// SPDX-License-Identifier: Apache-2.0

import NIOCore
import Schema

/// Follows what a client and a PostgreSQL server say to each other, as far as it takes to know which statement passes.
///
/// Understands the framing of protocol 3.0 without encryption, the simple and the extended query. Requests pass message by
/// message, replies as a whole, so that both can be stopped between two. See the PostgreSQL manual, "Message Formats".
struct Conversation {
    /// What comes next on the way to the other side.
    enum Event: Equatable {
        case bytes(ByteBuffer)
        /// The bytes after this one are of a request or reply at this point.
        case point(NamedPoint)
    }

    /// A request that is not answered yet: everything up to the server's next "ready for query".
    private struct Request {
        var statement: String?
        var settles = false
        var hasRows = false
    }

    private static let protocolVersion: Int32 = 196_608
    /// The statements' first lines, by which they are known: their texts begin with a comment that says what they do.
    private static let names = Dictionary(
        SQLFile.queries.map { (firstLine($0.text.utf8), $0.name) }, uniquingKeysWith: { first, _ in first })

    /// By a statement's name, the text that the server gets in place of its own.
    var rewritten: [String: String] = [:]
    private var hasStarted = false
    private var isReady = false
    private var clientRest = ByteBuffer()
    private var serverRest = ByteBuffer()
    private var reply = ByteBuffer()
    private var statement: String?
    private var isSettling = false
    private var requests: [Request] = []

    mutating func clientSent(_ bytes: ByteBuffer) -> [Event] {
        clientRest.writeImmutableBuffer(bytes)
        var events: [Event] = []
        var passing = ByteBuffer()
        func flush() {
            guard passing.readableBytes > 0 else { return }
            events.append(.bytes(passing))
            passing = ByteBuffer()
        }
        while var message = nextClientMessage() {
            if let point = note(message) {
                flush()
                events.append(.point(point))
            }
            if !rewritten.isEmpty { message = rewrite(message) }
            passing.writeBuffer(&message)
        }
        flush()
        clientRest.discardReadBytes()
        return events
    }

    mutating func serverSent(_ bytes: ByteBuffer) -> [Event] {
        serverRest.writeImmutableBuffer(bytes)
        var events: [Event] = []
        while var message = nextServerMessage() {
            let type = message.getInteger(at: message.readerIndex, as: UInt8.self)
            reply.writeBuffer(&message)
            switch type {
            case UInt8(ascii: "2"):
                // Of several statements in one request the last one counts, as it gives the request its name.
                if !requests.isEmpty { requests[0].hasRows = false }
            case UInt8(ascii: "D"):
                if !requests.isEmpty { requests[0].hasRows = true }
            case UInt8(ascii: "Z"):
                isReady = true
                if !requests.isEmpty, let point = point(ofReplyTo: requests.removeFirst()) { events.append(.point(point)) }
                events.append(.bytes(takeReply()))
            default:
                break
            }
        }
        // Before the client is let in it answers in between, and what comes without a request is nobody's reply.
        if !isReady || requests.isEmpty, reply.readableBytes > 0 { events.append(.bytes(takeReply())) }
        serverRest.discardReadBytes()
        return events
    }

    /// What of a reply had come when the server ended the connection.
    mutating func serverEnded() -> ByteBuffer {
        reply.writeBuffer(&serverRest)
        return takeReply()
    }

    private mutating func takeReply() -> ByteBuffer {
        defer { reply = ByteBuffer() }
        return reply
    }

    // MARK: Messages

    private mutating func nextClientMessage() -> ByteBuffer? {
        // The first message has no type.
        let head = hasStarted ? 1 : 0
        let start = clientRest.readerIndex
        guard let length = clientRest.getInteger(at: start + head, as: Int32.self),
            let message = clientRest.readSlice(length: head + Int(length))
        else { return nil }
        if !hasStarted {
            hasStarted = message.getInteger(at: message.readerIndex + 4, as: Int32.self) == Self.protocolVersion
            if hasStarted { requests.append(Request()) }
        }
        return message
    }

    private mutating func nextServerMessage() -> ByteBuffer? {
        // To a wish for encryption the server says no by one letter.
        guard hasStarted else { return serverRest.readSlice(length: 1) }
        guard let length = serverRest.getInteger(at: serverRest.readerIndex + 1, as: Int32.self) else { return nil }
        return serverRest.readSlice(length: 1 + Int(length))
    }

    /// Keeps what a client's message says of its request, and returns the point that the request begins at.
    private mutating func note(_ message: ByteBuffer) -> NamedPoint? {
        switch message.getInteger(at: message.readerIndex, as: UInt8.self) {
        case UInt8(ascii: "P"):
            // One with a name is prepared: it is carried out by a later request, which names it.
            let body = message.readableBytesView.dropFirst(5)
            guard body.first == 0 else { return nil }
            return begin(Self.name(of: body.dropFirst()))
        case UInt8(ascii: "B"):
            // The portal's name comes first. Statements are prepared under the names of their files.
            let name = message.readableBytesView.dropFirst(5).drop { $0 != 0 }.dropFirst().prefix { $0 != 0 }
            guard !name.isEmpty else { return nil }
            return begin(String(decoding: name, as: UTF8.self))
        case UInt8(ascii: "Q"):
            defer { endRequest() }
            return begin(Self.name(of: message.readableBytesView.dropFirst(5)))
        case UInt8(ascii: "S"):
            endRequest()
            return nil
        default:
            return nil
        }
    }

    /// The next statement of the request begins. The short path's commit goes out in the request of its grants.
    private mutating func begin(_ name: String?) -> NamedPoint? {
        statement = name
        defer { isSettling = isSettling || name == SQLFile.grantFirstPayments.name }
        return pointOfRequest
    }

    /// Puts another text into a "parse" message.
    private func rewrite(_ message: ByteBuffer) -> ByteBuffer {
        guard message.getInteger(at: message.readerIndex, as: UInt8.self) == UInt8(ascii: "P") else { return message }
        let body = message.readableBytesView.dropFirst(5)
        let name = body.prefix { $0 != 0 }
        let text = body.dropFirst(name.count + 1).prefix { $0 != 0 }
        guard let known = Self.name(of: text), let replacement = rewritten[known] else { return message }
        let rest = body.dropFirst(name.count + 1 + text.count)
        var result = ByteBuffer()
        result.writeInteger(UInt8(ascii: "P"))
        result.writeInteger(Int32(4 + name.count + 1 + replacement.utf8.count + rest.count))
        result.writeBytes(name)
        result.writeInteger(UInt8(0))
        result.writeString(replacement)
        result.writeBytes(rest)
        return result
    }

    private mutating func endRequest() {
        requests.append(Request(statement: statement, settles: isSettling))
        switch statement {
        case SQLFile.lockSettlingJobs.name: isSettling = true
        case "commit", "rollback": isSettling = false
        default: break
        }
        statement = nil
    }

    // MARK: Points

    private var pointOfRequest: NamedPoint? {
        switch statement {
        case SQLFile.lockSettlingJobs.name, SQLFile.grantFirstPayments.name: .settling
        case "commit" where isSettling: .committing
        default: nil
        }
    }

    private func point(ofReplyTo request: Request) -> NamedPoint? {
        switch request.statement {
        case SQLFile.claimJobs.name: request.hasRows ? .claimed : nil
        case SQLFile.lockSettlingJobs.name: request.hasRows ? .fenced : nil
        case SQLFile.insertGrants.name: request.hasRows ? .granted : nil
        case "commit": request.settles ? .committed : nil
        default: nil
        }
    }

    private static func name(of text: some Sequence<UInt8>) -> String? {
        let line = firstLine(text.lazy.prefix { $0 != 0 })
        return names[line] ?? ["begin", "commit", "rollback"].first { line == $0 || line.hasPrefix("\($0) ") }
    }

    private static func firstLine(_ text: some Sequence<UInt8>) -> String {
        String(decoding: text.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
    }
}
