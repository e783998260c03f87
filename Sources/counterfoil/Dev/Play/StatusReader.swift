// SPDX-License-Identifier: Apache-2.0

import Postgres
import Synchronization

/// Answers many players' polls with few queries: whoever asks within a moment is answered by the same one.
final class StatusReader: Sendable {
    private typealias Answer = Result<Outcome?, any Error>

    private struct Question {
        let order: String
        let continuation: CheckedContinuation<Answer, Never>
    }

    private struct State {
        var questions: [Question] = []
        var hasEnded = false
    }

    private static let batch = 500

    private let pool: PostgresPool
    private let state = Mutex(State())
    private let arrivals: AsyncStream<Void>
    private let arrival: AsyncStream<Void>.Continuation

    init(pool: PostgresPool) {
        self.pool = pool
        (arrivals, arrival) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    /// Where an order is; nil when there is no such order. Answered as long as ``run()`` runs.
    func status(of order: String) async throws -> Outcome? {
        try await withCheckedContinuation { continuation in
            let hasEnded = state.withLock { state in
                if !state.hasEnded { state.questions.append(Question(order: order, continuation: continuation)) }
                return state.hasEnded
            }
            if hasEnded {
                continuation.resume(returning: .failure(CancellationError()))
            } else {
                arrival.yield()
            }
        }.get()
    }

    /// Answers until it is cancelled; whoever asks afterwards is told so.
    func run() async {
        for await _ in arrivals {
            try? await Task.sleep(for: .milliseconds(20))
            while let questions = takeQuestions() { await answer(questions) }
        }
        let left = state.withLock { state in
            state.hasEnded = true
            defer { state.questions = [] }
            return state.questions
        }
        for question in left { question.continuation.resume(returning: .failure(CancellationError())) }
    }

    private func takeQuestions() -> [Question]? {
        state.withLock { state in
            guard !state.questions.isEmpty else { return nil }
            let taken = Array(state.questions.prefix(Self.batch))
            state.questions.removeFirst(taken.count)
            return taken
        }
    }

    private func answer(_ questions: [Question]) async {
        do {
            let rows = try await pool.execute(DevSQL.pollOrders, [.textArray(questions.map(\.order))])
            var found: [String: Outcome] = [:]
            for row in rows { found[try row.string(0)] = try Outcome(row) }
            for question in questions { question.continuation.resume(returning: .success(found[question.order])) }
        } catch {
            for question in questions { question.continuation.resume(returning: .failure(error)) }
        }
    }
}

extension Outcome {
    /// From a row of `poll_orders.sql` or `read_orders.sql`.
    init(_ row: PostgresRow) throws(PostgresError) {
        self.init(
            state: try row.string(1), reason: try row.optionalString(2), clientAction: try row.string(3),
            transactionID: try row.optionalString(4), environment: try row.optionalString(5))
    }
}
