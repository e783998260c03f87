// SPDX-License-Identifier: Apache-2.0

import Postgres
import Synchronization

/// What a reader that delivers does in the database, by one connection that a shop's role opened.
///
/// Each delivery is one database transaction at the level `read committed`, without savepoints: it locks the state, calls the
/// function, takes away what the function left in the session, keeps the cursor, and commits. Should the process die, nothing of
/// it is committed, or all.
struct DeliveryStore: Sendable {
    /// The columns of `lock_state.sql`.
    enum StateColumn: Int, RowColumn { case cursor, isPaused, hasDue }
    /// The columns of `read_page.sql`.
    enum PageColumn: Int, RowColumn {
        case readAt, nextXid, id, at, kind, key, accountID, bundleID, nextCursor, isTold, isHeld, change
    }

    struct State: Sendable {
        let cursor: String
        let isPaused: Bool
        let hasDue: Bool
    }

    /// Ends a database transaction that has nothing to commit.
    private struct NothingToKeep: Error {
        let outcome: DeliveryMachine.Outcome
    }

    /// How long the session may be silent within a database transaction.
    private static let silence = "30s"
    /// What the server's own time-out is given to end a statement before the connection is dropped.
    private static let grace = Duration.seconds(5)
    private static let cursorUnknown = SQLState(rawValue: "ZCU01")

    let connection: PostgresConnection
    let sql: DeliverySQL
    let selection: ChangeSelection
    let limits: DeliveryMachine.Limits

    var timeout: Duration { .milliseconds(sql.timeout) + Self.grace }

    // MARK: Pages

    /// Whether there is anything to do.
    func look() async throws -> DeliveryMachine.Outcome {
        do {
            let rows = try await connection.execute(sql.findNews, [], timeout: timeout)
            return .looked(hasNews: try rows.first?.bool(0) ?? true)
        } catch {
            guard error.sqlState == Self.cursorUnknown else { throw error }
            return .looked(hasNews: true)
        }
    }

    /// Reads a page and delivers all of it.
    ///
    /// - Throws: what goes wrong before anything is delivered, but for an unknown cursor.
    func deliverPage(atMost limit: Int32, report: (FeedPage) -> Void = { _ in }) async throws -> DeliveryMachine.Outcome {
        let start = ContinuousClock.now
        let hand = Mutex<(page: FeedPage?, cursor: String?, state: State?)>((nil, nil, nil))
        do {
            try await connection.withTransaction { connection in
                let state = try await lock(connection)
                hand.withLock { $0.cursor = state.cursor }
                let rows = try await connection.execute(sql.readPage, [.text(state.cursor), .int4(limit)], timeout: timeout)
                guard let page = try makePage(rows, after: state.cursor, limit: limit) else {
                    throw NothingToKeep(outcome: .empty(hasDue: state.hasDue))
                }
                hand.withLock { $0 = (page, state.cursor, state) }
                try await call(page.calls, connection)
                let waits = page.waits
                if !waits.isEmpty {
                    try await connection.enqueue(
                        sql.waitBehind,
                        [.int8Array(waits.map(\.id)), .textArray(waits.map(\.key)), .textArray(waits.map(\.json))])
                }
                try await keep(
                    page.nextCursor, delivered: page.calls.count, moment: page.moment, lastAt: page.lastAt, ids: page.ids,
                    connection)
            }
        } catch let nothing as NothingToKeep {
            return nothing.outcome
        } catch let error as PostgresError {
            let (page, cursor) = hand.withLock { ($0.page, $0.cursor) }
            if let page { throw PageFailure(page: page, error: error) }
            if error.sqlState == Self.cursorUnknown, let cursor { return .cursorUnknown(cursor) }
            throw error
        }
        let (page, state) = hand.withLock { ($0.page, $0.state) }
        guard let page, let state else { return .empty(hasDue: false) }
        report(page)
        return .delivered(
            changes: page.changes.count, isFull: page.isFull, took: start.duration(to: .now), hasDue: state.hasDue)
    }

    /// Delivers one change of a page that failed, or has it wait behind another one of its key.
    func deliver(_ part: FeedPart) async throws -> DeliveryMachine.Outcome {
        let isCalled = Mutex(false)
        do {
            try await connection.withTransaction { connection in
                try await lock(connection, at: part.cursor)
                var delivered = 0
                if let change = part.change {
                    if try await connection.execute(sql.isHeld, [.text(change.key)], timeout: timeout)[0].bool(0) {
                        try await connection.enqueue(
                            sql.waitBehind, [.int8Array([change.id]), .textArray([change.key]), .textArray([change.json])])
                    } else {
                        isCalled.withLock { $0 = true }
                        try await call([change], connection)
                        delivered = 1
                    }
                }
                try await keep(part, delivered: delivered, connection)
            }
        } catch let nothing as NothingToKeep {
            return nothing.outcome
        } catch {
            guard isCalled.withLock({ $0 }), let failure = DeliveryFailure(error) else { throw error }
            return .partFailed(failure)
        }
        return .partDone
    }

    /// Has a change wait that failed.
    func putOff(_ part: FeedPart, _ failure: DeliveryFailure) async throws -> DeliveryMachine.Outcome {
        guard let change = part.change else { return .putOffDone }
        do {
            try await connection.withTransaction { connection in
                try await lock(connection, at: part.cursor)
                try await connection.enqueue(
                    sql.putOff,
                    [
                        .int8(change.id), .text(change.key), .text(change.json), .text(failure.text),
                        .double(RetryDelay.after(failures: 1) / .seconds(1)),
                    ])
                try await keep(part, failed: 1, connection)
            }
        } catch let nothing as NothingToKeep {
            return nothing.outcome
        }
        return .putOffDone
    }

    /// Replaces an unknown cursor by one that tells all that may have been missed.
    ///
    /// - Returns: the time from which on it tells; nil where another deliverer did so.
    func beginAnew(_ cursor: String) async throws -> String? {
        try await connection.withTransaction { connection in
            try await limit(connection)
            return try await connection.execute(sql.beginAnew, [.text(cursor)], timeout: timeout).first?.string(0)
        }
    }

    func forgetPages() async throws {
        _ = try await connection.execute(sql.forgetPages, [], timeout: timeout)
    }

    // MARK: Waiting changes

    /// A waiting change, as it is tried.
    struct Waiting: Sendable {
        /// The columns of `find_waiting.sql`.
        enum Column: Int, RowColumn { case id, key, tries, change }

        let id: Int64
        let tries: Int32
        let json: String

        init(_ row: PostgresRow) throws(PostgresError) {
            let columns = row.named(by: Column.self)
            id = try columns.int64(.id)
            tries = try columns.int32(.tries)
            json = try columns.string(.change)
        }
    }

    /// How a try ended, and with which change.
    struct Trial: Sendable {
        let outcome: DeliveryMachine.Outcome
        var waiting: Waiting?
        var failure: DeliveryFailure?
    }

    /// Tries the next waiting change.
    func tryWaiting(onlyDue: Bool) async throws -> Trial {
        let hand = Mutex<(waiting: Waiting?, isPaused: Bool)>((nil, false))
        do {
            try await connection.withTransaction { connection in
                let state = try await lock(connection, evenPaused: true)
                hand.withLock { $0.isPaused = state.isPaused }
                let rows = try await connection.execute(
                    sql.findWaiting, [.bool(!onlyDue || state.isPaused)], timeout: timeout)
                guard let row = rows.first else {
                    throw NothingToKeep(outcome: .tried(succeeded: nil, isPaused: state.isPaused))
                }
                let waiting = try Waiting(row)
                hand.withLock { $0.waiting = waiting }
                try await deliver(waiting, connection)
            }
        } catch let nothing as NothingToKeep {
            return Trial(outcome: nothing.outcome)
        } catch {
            let (waiting, isPaused) = hand.withLock { $0 }
            guard let waiting, let failure = DeliveryFailure(error) else { throw error }
            return Trial(outcome: .tried(succeeded: false, isPaused: isPaused), waiting: waiting, failure: failure)
        }
        let (waiting, isPaused) = hand.withLock { $0 }
        return Trial(outcome: .tried(succeeded: true, isPaused: isPaused), waiting: waiting)
    }

    /// Calls for a waiting change, which waits no more when this is committed.
    func deliver(_ waiting: Waiting, _ connection: isolated PostgresConnection) async throws {
        try await call([waiting.json], connection)
        try await connection.enqueue(sql.finishWaiting, [.int8(waiting.id)])
    }

    /// Notes that a waiting change failed again. Does nothing where a commit came through.
    func note(_ failure: DeliveryFailure, of waiting: Waiting) async throws {
        let delay = RetryDelay.after(failures: waiting.tries + 1)
        _ = try await connection.execute(
            sql.failWaiting, [.int8(waiting.id), .text(failure.text), .double(delay / .seconds(1))], timeout: timeout)
    }

    /// How many changes wait, and for how long the oldest of them, in seconds.
    func measure() async throws -> (waiting: Int64, oldest: Double, isPaused: Bool)? {
        let row = try await connection.execute(sql.measureWaiting, [.int4(limits.failures)], timeout: timeout).first
        guard let row else { return nil }
        return (try row.int64(0), try row.double(1), try row.bool(2))
    }

    // MARK: Parts of a database transaction

    /// Takes away what a failed call left in the session.
    func leaveSession() async throws {
        try await connection.executeScript(sql.leaveSession.sql, timeout: timeout)
    }

    func limit(_ connection: isolated PostgresConnection) async throws {
        try await connection.enqueue(sql.limitTransaction, [.text(String(sql.timeout)), .text(Self.silence)])
    }

    @discardableResult
    private func lock(
        _ connection: isolated PostgresConnection, at cursor: String? = nil, evenPaused: Bool = false
    ) async throws -> State {
        try await limit(connection)
        guard let row = try await connection.execute(sql.lockState, [.int4(limits.failures)], timeout: timeout).first else {
            guard try await connection.execute(sql.hasState, [], timeout: timeout)[0].bool(0) else {
                throw DeliveryProblem.stateIsEmpty(sql.tables.state)
            }
            throw NothingToKeep(outcome: .standsBy)
        }
        let columns = row.named(by: StateColumn.self)
        let state = State(
            cursor: try columns.string(.cursor), isPaused: try columns.bool(.isPaused), hasDue: try columns.bool(.hasDue))
        if let cursor, state.cursor != cursor { throw NothingToKeep(outcome: .moved(cursor: state.cursor)) }
        if state.isPaused && !evenPaused { throw NothingToKeep(outcome: .paused) }
        return state
    }

    private func call(_ changes: [FeedChange], _ connection: isolated PostgresConnection) async throws {
        guard !changes.isEmpty else { return }
        try await call(changes.map(\.json), connection)
    }

    private func call(_ changes: [String], _ connection: isolated PostgresConnection) async throws {
        try await connection.enqueue(sql.restorePath)
        _ = try await connection.execute(
            sql.callFunction, [.text("[" + changes.joined(separator: ",") + "]")], timeout: timeout)
        try await connection.executeScript(sql.leaveSession.sql, timeout: timeout)
        try await limit(connection)
    }

    private func keep(
        _ part: FeedPart, delivered: Int = 0, failed: Int32 = 0, _ connection: isolated PostgresConnection
    ) async throws {
        try await keep(
            part.nextCursor, delivered: delivered, failed: failed, moment: part.moment, lastAt: part.lastAt,
            ids: part.change.map { [$0.id] } ?? [], connection)
    }

    private func keep(
        _ cursor: String, delivered: Int, failed: Int32 = 0, moment: FeedPage.Moment, lastAt: PostgresTimestamp, ids: [Int64],
        _ connection: isolated PostgresConnection
    ) async throws {
        try await connection.enqueue(
            sql.keepCursor,
            [
                .text(cursor), .int4(Int32(delivered)), .int4(failed), .timestamp(moment.at), .text(moment.nextXid),
                .timestamp(lastAt), .int8Array(ids),
            ])
    }

    private func makePage(_ rows: PostgresResult, after cursor: String, limit: Int32) throws -> FeedPage? {
        var moment: FeedPage.Moment?
        var changes: [FeedChange] = []
        for row in rows {
            let columns = row.named(by: PageColumn.self)
            if moment == nil {
                moment = FeedPage.Moment(at: try columns.timestamp(.readAt), nextXid: try columns.string(.nextXid))
            }
            changes.append(
                FeedChange(
                    id: try columns.int64(.id), at: try columns.timestamp(.at), kind: try columns.string(.kind),
                    key: try columns.string(.key), accountID: try columns.optionalString(.accountID),
                    bundleID: try columns.optionalString(.bundleID), nextCursor: try columns.string(.nextCursor),
                    isTold: try columns.bool(.isTold), isHeld: try columns.bool(.isHeld), json: try columns.string(.change)))
        }
        guard let moment else { return nil }
        return FeedPage(
            cursor: cursor, moment: moment, changes: changes, isFull: changes.count == Int(limit), selection: selection)
    }
}

/// A page was read, and its delivery failed: nothing of it is committed, or nobody knows.
struct PageFailure: Error {
    let page: FeedPage
    let error: PostgresError
}
