// SPDX-License-Identifier: Apache-2.0

/// Which query a connection works on, which ones wait, and how each ends.
///
/// One query is on its way at a time, the others wait in order. A query that is stopped is cancelled on the server; the
/// next one is sent only after the server has answered *and* the cancel request is through, since a late request would
/// hit the next query instead.
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
        /// - ``stop(_:_:)`` of this query: to `stopping` with both flags false, the server is asked to cancel
        /// - ``stop(_:_:)`` of a query that waits: none, that query is refused
        /// - ``close()``: to `closed`
        case running(QueryID)

        /// A query was stopped. It ends once it is answered *and* the cancel request is through, in either order.
        ///
        /// Transitions:
        /// - ``submit(_:)``: none, the new query waits
        /// - ``answered()``: `isAnswered` is set; if the request was through, to `running` or `idle` as from `running`
        /// - ``cancelRequestEnded()``: `isRequestThrough` is set; if the query was answered, to `running` or `idle`
        /// - ``stop(_:_:)`` of a query that waits: none, that query is refused
        /// - ``graceEnded()``, ``close()``: to `closed`; an answer that is there stands
        case stopping(QueryID, StopReason, isAnswered: Bool, isRequestThrough: Bool)

        /// The connection is gone. There are no transitions: every query is refused.
        case closed
    }

    private(set) var state = State.idle
    private var waiting: [QueryID] = []

    /// Whether an answer of the server is awaited.
    var isAwaitingAnswer: Bool {
        switch state {
        case .running: true
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
        case .running, .stopping:
            waiting.append(query)
            return .none
        case .closed:
            return .refuseClosed(query)
        }
    }

    /// The deadline of a query passed, or its task was cancelled.
    mutating func stop(_ query: QueryID, _ reason: StopReason) -> Action {
        if let index = waiting.firstIndex(of: query) {
            waiting.remove(at: index)
            return .refuse(query, reason)
        }
        guard case .running(query) = state else { return .none }
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
        guard case .stopping = state else { return .none }
        return close()
    }

    /// The connection broke, or is no longer wanted.
    mutating func close() -> Action {
        let unsent = waiting
        waiting = []
        defer { state = .closed }
        switch state {
        case .idle:
            return .close(current: nil, stop: nil, waiting: unsent)
        case .running(let query):
            return .close(current: query, stop: nil, waiting: unsent)
        case .stopping(let query, let reason, let isAnswered, _):
            return .close(current: query, stop: reason, isAnswered: isAnswered, waiting: unsent)
        case .closed:
            return .none
        }
    }

    private mutating func finish(_ query: QueryID, stop: StopReason?) -> Action {
        let next = waiting.isEmpty ? nil : waiting.removeFirst()
        state = next.map { .running($0) } ?? .idle
        return .finish(query, stop: stop, next: next)
    }
}
