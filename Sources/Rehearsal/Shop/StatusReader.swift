// SPDX-License-Identifier: Apache-2.0

package import Postgres
import Synchronization

/// Answers many players' polls with few queries: whoever asks within a moment is answered by the same one.
package final class StatusReader: Sendable {
    package struct Status: Sendable {
        package var outcome: Outcome
        /// Whether a proof is still to be judged.
        package var isPending: Bool
        /// The latest upload that is still to be judged; 0: none is.
        package var job: Int64 = 0
    }

    private typealias Answer = Result<Status?, any Error>

    private struct Question {
        package let order: String
        package let account: String
        package let continuation: CheckedContinuation<Answer, Never>
    }

    private struct State {
        package var questions: [Question] = []
        package var hasEnded = false
        var limit = QuestionLimit()
    }

    private static let batch = 500

    let pool: PostgresPool
    let patience: Duration
    private let state = Mutex(State())
    private let gateway: ShopGateway?
    private let arrivals: AsyncStream<Void>
    private let arrival: AsyncStream<Void>.Continuation

    /// - Parameters:
    ///   - patience: how long a poll is tried again while the database is away.
    ///   - gateway: that is asked in place of the database.
    package init(pool: PostgresPool, patience: Duration = .zero, gateway: ShopGateway? = nil) {
        self.gateway = gateway
        self.pool = pool
        self.patience = patience
        (arrivals, arrival) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    /// Where an order is; nil when its account has no such order. Answered as long as ``run()`` runs.
    ///
    /// - Parameter wait: for how many seconds a gateway may wait for another action than `wait`.
    package func status(of order: PlannedOrder, wait: Int = 0) async throws -> Status? {
        if let gateway { return try await gateway.order(order, wait: wait).map(Status.init) }
        return try await withCheckedContinuation { continuation in
            let hasEnded = state.withLock { state in
                if !state.hasEnded {
                    state.questions.append(Question(order: order.id, account: order.accountID, continuation: continuation))
                }
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
    package func run() async {
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

    /// Whether one more question about all else is asked now.
    func admitsQuestion() -> Bool {
        state.withLock { $0.limit.admits(at: .now) }
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
            let found = try await read(questions)
            for question in questions { question.continuation.resume(returning: .success(found[question.order])) }
        } catch {
            for question in questions { question.continuation.resume(returning: .failure(error)) }
        }
    }

    private func read(_ questions: [Question]) async throws -> [String: Status] {
        let deadline = ContinuousClock.now + patience
        while true {
            do throws(PostgresError) {
                return try await readOnce(questions)
            } catch {
                guard error.isPassing, ContinuousClock.now < deadline else { throw error }
            }
            try await Task.sleep(for: .milliseconds(100))
        }
    }

    private func readOnce(_ questions: [Question]) async throws(PostgresError) -> [String: Status] {
        let rows = try await pool.execute(
            RehearsalSQL.pollOrders, [.textArray(questions.map(\.order)), .textArray(questions.map(\.account))])
        var found: [String: Status] = [:]
        for row in rows {
            found[try row.string(0)] = Status(outcome: try Outcome(row), isPending: try row.bool(6), job: try row.int64(7))
        }
        return found
    }
}

extension Outcome {
    /// From a row of `poll_orders.sql` or `read_orders.sql`.
    package init(_ row: PostgresRow) throws(PostgresError) {
        self.init(
            state: try row.string(1), reason: try row.optionalString(2), clientAction: try row.string(3),
            transactionID: try row.optionalString(4), environment: try row.optionalString(5))
    }
}
