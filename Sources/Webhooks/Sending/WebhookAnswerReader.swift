// SPDX-License-Identifier: Apache-2.0

import AsyncHTTPClient
import NIOCore
import NIOHTTP1
import Synchronization

/// Reads an endpoint's answer, and keeps the beginning of its body. An answer that is longer than anybody needs ends there.
final class WebhookAnswerReader: HTTPClientResponseDelegate {
    struct Answer: Sendable {
        var status: Int
        var retryAfter: String?
        var body: [UInt8] = []
    }

    /// The answer is known, and its body goes on.
    struct Enough: Error {
        let answer: Answer
    }

    private struct NoHead: Error {}

    /// Bytes of a body that are kept. Default 1 kB.
    private static let kept = 1024
    /// Bytes of a body that are read, so that the connection can be used again. Default 64 kB.
    private static let read = 64 * 1024

    private struct State {
        var answer: Answer?
        var bytes = 0
    }

    private let state = Mutex(State())

    func didReceiveHead(task: HTTPClient.Task<Answer>, _ head: HTTPResponseHead) -> EventLoopFuture<Void> {
        state.withLock { $0.answer = Answer(status: Int(head.status.code), retryAfter: head.headers.first(name: "Retry-After")) }
        return task.eventLoop.makeSucceededVoidFuture()
    }

    func didReceiveBodyPart(task: HTTPClient.Task<Answer>, _ buffer: ByteBuffer) -> EventLoopFuture<Void> {
        let isEnough = state.withLock { state in
            state.bytes += buffer.readableBytes
            let room = Self.kept - (state.answer?.body.count ?? 0)
            if room > 0 { state.answer?.body += buffer.readableBytesView.prefix(room) }
            return state.bytes > Self.read ? state.answer : nil
        }
        if let isEnough { return task.eventLoop.makeFailedFuture(Enough(answer: isEnough)) }
        return task.eventLoop.makeSucceededVoidFuture()
    }

    func didFinishRequest(task: HTTPClient.Task<Answer>) throws -> Answer {
        guard let answer = state.withLock({ $0.answer }) else { throw NoHead() }
        return answer
    }
}

extension WebhookAnswerReader.Answer {
    /// The beginning of the body as one line of printable characters.
    var text: String {
        let characters = String(decoding: body, as: UTF8.self).prefix(300).map { character in
            character.isNewline || character.unicodeScalars.contains { $0.properties.generalCategory == .control } ? " " : character
        }
        return String(characters).split(separator: " ").joined(separator: " ")
    }
}
