// SPDX-License-Identifier: Apache-2.0

/// Which query a connection works on, which ones wait, and how each ends.
///
/// One query is on its way at a time, the others wait in order. A query that is stopped is cancelled on the server; the
/// next one is sent only after the server has answered *and* the cancel request is through, since a late request would
/// hit the next query instead.
///
/// A query that may commit is never cancelled: the commit may wait for a synchronous standby, and a cancel request would end that
/// wait and show others a commit that no standby has (PostgreSQL's manual, "synchronous_commit"). Its caller gets no answer once
/// the grace is over, and the connection stays as it is until the server answers.
struct QueryStateMachine {
    typealias QueryID = UInt64

    /// Why a query is stopped before its answer.
    enum StopReason: Sendable, Equatable {
        case deadline
        case cancellation
    }

    enum Action: Equatable {
        case none
        /// Hand the query to libpq.
        case send(QueryID)
        /// The server answered: resume the query with that. `stop` is why it was cancelled, if it was. Then send
        /// `next`.
        case finish(QueryID, stop: StopReason?, next: QueryID?)
        /// Ask the server to cancel the query, and give it the grace to answer.
        case cancelOnServer(QueryID)
        /// Give the query the grace to answer.
        case awaitGrace(QueryID)
        /// Resume the query: whether it took effect isn't known. The connection stays, and its server goes on with the query.
        case abandon(QueryID)
        /// The server answered an abandoned query. Send `next`.
        case proceed(next: QueryID?)
        /// The query was never sent: resume it with the reason.
        case refuse(QueryID, StopReason)
        /// The connection is closed: resume the query with the reason if it didn't answer.
        case refuseClosed(QueryID)
        /// Close the connection. `current` was on its way, and what the server answered may stand; `waiting` were never sent.
        case close(current: QueryID?, stop: StopReason?, isAnswered: Bool = false, waiting: [QueryID])
    }

    enum State: Equatable {
        /// No query is on its way, and none waits.
        ///
        /// Transitions:
        /// - ``submit(_:)``: to `running`, the query is sent
        /// - ``close()``: to `closed`
        case idle

        /// A query was sent and its answer is awaited. Others may wait.
        ///
        /// Transitions:
        /// - ``submit(_:)``: none, the new query waits
        /// - ``answered()``: to `running` with the first query that waits, else to `idle`
        /// - ``stop(_:_:mayCommit:)`` of this query: to `stopping` with both flags false, the server is asked to cancel; to
        ///   `overdue` if it may commit
        /// - ``stop(_:_:mayCommit:)`` of a query that waits: none, that query is refused
        /// - ``close()``: to `closed`
        case running(QueryID)

        /// A query was stopped. It ends once it is answered *and* the cancel request is through, in either order.
        ///
        /// Transitions:
        /// - ``submit(_:)``: none, the new query waits
        /// - ``answered()``: `isAnswered` is set; if the request was through, to `running` or `idle` as from `running`
        /// - ``cancelRequestEnded()``: `isRequestThrough` is set; if the query was answered, to `running` or `idle`
        /// - ``stop(_:_:mayCommit:)`` of a query that waits: none, that query is refused
        /// - ``graceEnded()``, ``close()``: to `closed`; an answer that is there stands
        case stopping(QueryID, StopReason, isAnswered: Bool, isRequestThrough: Bool)

        /// A query that may commit was stopped, and has its grace. The server isn't asked to cancel it.
        ///
        /// Transitions:
        /// - ``submit(_:)``: none, the new query waits
        /// - ``answered()``: to `running` or `idle` as from `running`; the answer counts as any other
        /// - ``graceEnded()``: to `unanswered`
        /// - ``stop(_:_:mayCommit:)`` of a query that waits: none, that query is refused
        /// - ``close()``: to `closed`
        case overdue(QueryID, StopReason)

        /// The caller of a query that may commit has gone on without its answer, and the server still works on it.
        ///
        /// Transitions:
        /// - ``submit(_:)``: none, the new query waits
        /// - ``answered()``: to `running` with the first query that waits, else to `idle`
        /// - ``stop(_:_:mayCommit:)`` of a query that waits: none, that query is refused
        /// - ``close()``: to `closed`
        case unanswered

        /// The connection is gone. There are no transitions: every query is refused.
        case closed
    }

    private(set) var state = State.idle
    private var waiting: [QueryID] = []

    /// Whether an answer of the server is awaited.
    var isAwaitingAnswer: Bool {
        switch state {
        case .running, .overdue, .unanswered: true
        case .stopping(_, _, let isAnswered, _): !isAnswered
        case .idle, .closed: false
        }
    }

    var isClosed: Bool { state == .closed }

    /// A caller has a new query.
    mutating func submit(_ query: QueryID) -> Action {
        switch state {
        case .idle:
            state = .running(query)
            return .send(query)
        case .running, .stopping, .overdue, .unanswered:
            waiting.append(query)
            return .none
        case .closed:
            return .refuseClosed(query)
        }
    }

    /// The deadline of a query passed, or its task was cancelled.
    ///
    /// - Parameter mayCommit: whether it ends a database transaction, or runs in one of its own and may write.
    mutating func stop(_ query: QueryID, _ reason: StopReason, mayCommit: Bool) -> Action {
        if let index = waiting.firstIndex(of: query) {
            waiting.remove(at: index)
            return .refuse(query, reason)
        }
        guard case .running(query) = state else { return .none }
        guard !mayCommit else {
            state = .overdue(query, reason)
            return .awaitGrace(query)
        }
        state = .stopping(query, reason, isAnswered: false, isRequestThrough: false)
        return .cancelOnServer(query)
    }

    /// The server's answer to the query on its way is complete.
    mutating func answered() -> Action {
        switch state {
        case .running(let query):
            return finish(query, stop: nil)
        case .stopping(let query, let reason, isAnswered: false, let isRequestThrough):
            guard isRequestThrough else {
                state = .stopping(query, reason, isAnswered: true, isRequestThrough: false)
                return .none
            }
            return finish(query, stop: reason)
        case .overdue(let query, let reason):
            return finish(query, stop: reason)
        case .unanswered:
            return .proceed(next: takeNext())
        case .idle, .stopping, .closed:
            return .none
        }
    }

    /// The cancel request has reached the server, or failed.
    mutating func cancelRequestEnded() -> Action {
        guard case .stopping(let query, let reason, let isAnswered, isRequestThrough: false) = state else {
            return .none
        }
        guard isAnswered else {
            state = .stopping(query, reason, isAnswered: false, isRequestThrough: true)
            return .none
        }
        return finish(query, stop: reason)
    }

    /// A stopped query has had its time to end.
    mutating func graceEnded() -> Action {
        switch state {
        case .stopping:
            return close()
        case .overdue(let query, _):
            state = .unanswered
            return .abandon(query)
        case .idle, .running, .unanswered, .closed:
            return .none
        }
    }

    /// The connection broke, or is no longer wanted.
    mutating func close() -> Action {
        let unsent = waiting
        waiting = []
        defer { state = .closed }
        switch state {
        case .idle, .unanswered:
            return .close(current: nil, stop: nil, waiting: unsent)
        case .running(let query):
            return .close(current: query, stop: nil, waiting: unsent)
        case .overdue(let query, let reason):
            return .close(current: query, stop: reason, waiting: unsent)
        case .stopping(let query, let reason, let isAnswered, _):
            return .close(current: query, stop: reason, isAnswered: isAnswered, waiting: unsent)
        case .closed:
            return .none
        }
    }

    private mutating func finish(_ query: QueryID, stop: StopReason?) -> Action {
        .finish(query, stop: stop, next: takeNext())
    }

    private mutating func takeNext() -> QueryID? {
        let next = waiting.isEmpty ? nil : waiting.removeFirst()
        state = next.map { .running($0) } ?? .idle
        return next
    }
}
