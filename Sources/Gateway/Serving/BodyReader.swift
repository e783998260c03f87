// SPDX-License-Identifier: Apache-2.0

import Hummingbird
import NIOCore
import Synchronization

/// Reads bodies, none longer than its route takes, and all that are in hand together not longer than the gateway takes.
final class BodyReader: Sendable {
    private let most: Int
    private let inHand = Atomic<Int>(0)

    init(most: Int) {
        self.most = most
    }

    /// Calls `use` with the whole body.
    ///
    /// - Throws: `tooLarge`, `too_many_bytes`; what `use` throws.
    func read<Success: Sendable>(
        _ request: Request, upTo limit: Int, tooLarge: Problem, _ use: ([UInt8]) async throws -> Success
    ) async throws -> Success {
        var held = 0
        defer { inHand.subtract(held, ordering: .relaxed) }
        if let text = request.headers[.contentLength], let length = Int(text), length > limit { throw tooLarge }
        var bytes: [UInt8] = []
        for try await buffer in request.body {
            held += buffer.readableBytes
            let all = inHand.add(buffer.readableBytes, ordering: .relaxed).newValue
            guard held <= limit else { throw tooLarge }
            guard all <= most else { throw Problem(.tooManyBytes) }
            bytes.append(contentsOf: buffer.readableBytesView)
        }
        return try await use(bytes)
    }
}
