// SPDX-License-Identifier: Apache-2.0

package import EventSources
package import Logging
import Synchronization

/// Lends a few connections to many callers.
///
/// A connection is opened when somebody waits for one and lent to one caller at a time, first come, first served. One
/// that broke, that is left inside a database transaction or whose server turned read-only is closed and replaced.
/// While the database is away callers wait until their time is up, and one attempt at a time is made to reach it, with
/// growing, jittered pauses (800 ms at most); nothing is done while nobody waits.
///
/// A connection whose commit has had no answer stays lent until the server answers or the connection breaks, although its caller
/// has gone on: the server's session would outlast it, and a pool that replaced it would fill the server's `max_connections`.
package final class PostgresPool: Sendable {
    /// How many connections there are, by what they are doing.
    package struct Connections: Sendable, Hashable {
        package let idle: Int
        package let lent: Int
        package let opening: Int

        package init(idle: Int, lent: Int, opening: Int) {
            self.idle = idle
            self.lent = lent
            self.opening = opening
        }
    }

    typealias ConnectionID = PoolStateMachine.ConnectionID
    typealias WaiterID = PoolStateMachine.WaiterID

    struct Lease: Sendable {
        let id: ConnectionID
        let connection: PostgresConnection
    }

    typealias LeaseContinuation = CheckedContinuation<Result<Lease, PostgresError>, Never>

    struct State {
        var machine: PoolStateMachine
        var connections: [ConnectionID: PostgresConnection] = [:]
        var openings: [ConnectionID: Task<Void, Never>] = [:]
        var waiters: [WaiterID: LeaseContinuation] = [:]
        var nextWaiterID = 1
        var lastFailure: PostgresError?
        var alarm: ContinuousClock.Instant?
        /// Lent connections whose callers have gone on without the answer to a commit.
        var unanswered: [ConnectionID: UnansweredConnection] = [:]
        var isInspecting = false
    }

    /// What follows from an event and is done after the state is unlocked.
    private struct Effects: Sendable {
        var answers: [(LeaseContinuation, Result<Lease, PostgresError>)] = []
        var closing: [PostgresConnection] = []
    }

    /// The queue that all connections run on, so that a task that prefers it goes from one to the next without a change of threads.
    /// Nothing that takes long belongs here: all of them would wait.
    package let executor = SerialQueueExecutor(label: "counterfoil.postgres.pool")

    let configuration: PostgresConfiguration
    let logger: Logger
    let state: Mutex<State>
    /// Looks after ``State/unanswered``.
    let inspectionTimer: DeadlineTimer

    private let backoff = ReconnectBackoff()
    private let timer: DeadlineTimer

    /// - Parameter size: connections at most; 2 to 4 are enough for a process that works in batches.
    package init(configuration: PostgresConfiguration, size: Int, logger: Logger) {
        self.configuration = configuration
        self.logger = logger
        state = Mutex(State(machine: PoolStateMachine(size: size)))
        timer = DeadlineTimer(executor: executor)
        inspectionTimer = DeadlineTimer(executor: executor)
        inspectionTimer.setHandler { [weak self] in
            self?.startInspection()
        }
        timer.setHandler { [weak self] in
            self?.timePassed()
        }
    }

    /// Lends a connection to `body` and takes it back when `body` ends. Meanwhile `body` runs on the pool's queue, so that
    /// answers reach it without a change of threads.
    ///
    /// - Parameter timeout: of the wait for a connection only; nil: ``PostgresConfiguration/statementTimeout``.
    /// - Throws: what `body` throws. Before that, ``PostgresError`` of kind `connectTimedOut` when no connection became
    ///   free in time, `unavailable` when the database could not be reached in time, `authentication` or `connect` when
    ///   the server refuses us for good, `cancelled`, `closed`.
    package func withConnection<Success: Sendable>(
        timeout: Duration? = nil,
        _ body: (PostgresConnection) async throws -> Success
    ) async throws -> Success {
        try await lend(try await lease(timeout: timeout), to: body)
    }

    /// Runs `body` in a database transaction on one connection; see ``PostgresConnection/withTransaction(_:)``.
    ///
    /// - Parameter timeout: of the wait for a connection only.
    package func withTransaction<Success: Sendable>(
        timeout: Duration? = nil,
        _ body: @Sendable (isolated PostgresConnection) async throws -> Success
    ) async throws -> Success {
        try await lend(try await lease(timeout: timeout)) { connection in
            try await connection.withTransaction(body)
        }
    }

    /// Runs a whole database transaction in one round trip; see ``PostgresConnection/executeTransaction(_:answeredBy:timeout:)``.
    ///
    /// - Parameter timeout: of the wait for a connection, then of the wait for the answer.
    package func executeTransaction(
        _ statements: [(statement: PostgresStatement, parameters: [PostgresParameter])], answeredBy place: Int,
        timeout: Duration? = nil
    ) async throws(PostgresError) -> PostgresResult {
        let lease = try await self.lease(timeout: timeout)
        return try await lend(lease) { connection async throws(PostgresError) in
            try await connection.executeTransaction(statements, answeredBy: place, timeout: timeout)
        }
    }

    /// Runs one statement on any connection.
    ///
    /// - Parameter timeout: of the whole call, the wait for a connection included.
    package func execute(
        _ statement: PostgresStatement,
        _ parameters: [PostgresParameter] = [],
        timeout: Duration? = nil
    ) async throws(PostgresError) -> PostgresResult {
        let deadline = ContinuousClock.now + (timeout ?? configuration.statementTimeout)
        let lease: Lease
        do throws(PostgresError) {
            lease = try await self.lease(timeout: timeout)
        } catch {
            throw error.naming(statement.name)
        }
        return try await lend(lease) { connection async throws(PostgresError) in
            try await connection.execute(statement, parameters, timeout: ContinuousClock.now.duration(to: deadline))
        }
    }

    package var connections: Connections {
        let counts = state.withLock { $0.machine.connectionCounts }
        return Connections(idle: counts.idle, lent: counts.lent, opening: counts.opening)
    }

    /// Closes all connections; those that are lent out when they come back. Callers that wait fail with kind `closed`.
    package func close() async {
        let (effects, openings) = state.withLock { state in
            (apply(state.machine.close(), &state), Array(state.openings.values))
        }
        for opening in openings {
            opening.cancel()
        }
        perform(effects)
        closeUnanswered()
        for opening in openings {
            await opening.value
        }
    }

    private func lend<Success: Sendable, Failure: Error>(
        _ lease: Lease, to body: (PostgresConnection) async throws(Failure) -> Success
    ) async throws(Failure) -> Success {
        defer { release(lease) }
        return try await withTaskExecutorPreference(executor) { () async throws(Failure) in
            try await body(lease.connection)
        }
    }

    private func lease(timeout: Duration?) async throws(PostgresError) -> Lease {
        let deadline = ContinuousClock.now + (timeout ?? configuration.statementTimeout)
        while true {
            let lease = try await nextLease(until: deadline).get()
            if lease.connection.condition == .idle {
                return lease
            }
            // It broke while nobody used it.
            release(lease)
        }
    }

    private func nextLease(until deadline: ContinuousClock.Instant) async -> Result<Lease, PostgresError> {
        let waiter = state.withLock { state in
            defer { state.nextWaiterID += 1 }
            return state.nextWaiterID
        }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let effects = state.withLock { state in
                    startLease(waiter, continuation, deadline, &state)
                }
                perform(effects)
                if Task.isCancelled {
                    giveUp(waiter)
                }
            }
        } onCancel: {
            giveUp(waiter)
        }
    }

    private func startLease(
        _ waiter: WaiterID,
        _ continuation: LeaseContinuation,
        _ deadline: ContinuousClock.Instant,
        _ state: inout State
    ) -> Effects {
        switch state.machine.lease(waiter, deadline: deadline, now: .now) {
        case .lend(let id):
            guard let connection = state.connections[id] else {
                fatalError("an idle connection of the pool is missing")
            }
            return Effects(answers: [(continuation, .success(Lease(id: id, connection: connection)))])
        case .wait(let opening):
            state.waiters[waiter] = continuation
            return apply(PoolStateMachine.Actions(opening: opening), &state)
        case .refuse(let refusal):
            return Effects(answers: [(continuation, .failure(error(for: refusal, state)))])
        }
    }

    private func giveUp(_ waiter: WaiterID) {
        let continuation: LeaseContinuation? = state.withLock { state in
            state.machine.gaveUp(waiter) ? state.waiters.removeValue(forKey: waiter) : nil
        }
        continuation?.resume(
            returning: .failure(PostgresError(.cancelled, message: "cancelled while waiting for a connection"))
        )
    }

    func release(_ lease: Lease) {
        guard lease.connection.condition != .unanswered else { return keepUntilAnswered(lease) }
        let isReusable = lease.connection.condition == .idle
        let effects = state.withLock { state in
            apply(state.machine.released(lease.id, isReusable: isReusable, now: .now), &state)
        }
        perform(effects)
    }

    private func timePassed() {
        let effects = state.withLock { state in
            state.alarm = nil
            return apply(state.machine.timePassed(now: .now), &state)
        }
        perform(effects)
    }

    private func open(_ id: ConnectionID) async {
        let effects: Effects
        do throws(PostgresError) {
            let connection = try await PostgresConnection.connect(
                configuration, executor: executor, logger: logger)
            effects = state.withLock { state in
                state.openings[id] = nil
                state.connections[id] = connection
                state.lastFailure = nil
                return apply(state.machine.opened(id, now: .now), &state)
            }
        } catch {
            logger.debug("no database connection could be made", metadata: ["error": "\(error)"])
            effects = state.withLock { state in
                state.openings[id] = nil
                state.lastFailure = error
                let delay = backoff.delay(
                    afterFailures: state.machine.failures + 1,
                    fraction: .random(in: 0...1)
                )
                return apply(
                    state.machine.openingFailed(id, isFinal: error.isRefusal, retryAfter: delay, now: .now),
                    &state
                )
            }
        }
        perform(effects)
    }

    /// Does what can be done under the lock, and tells the rest.
    private func apply(_ actions: PoolStateMachine.Actions, _ state: inout State) -> Effects {
        var effects = Effects()
        for loan in actions.loans {
            if let connection = state.connections[loan.connection],
                let continuation = state.waiters.removeValue(forKey: loan.waiter)
            {
                effects.answers.append((continuation, .success(Lease(id: loan.connection, connection: connection))))
            }
        }
        for waiter in actions.refused {
            if let continuation = state.waiters.removeValue(forKey: waiter) {
                effects.answers.append((continuation, .failure(error(for: actions.refusal, state))))
            }
        }
        for id in actions.closing {
            if let connection = state.connections.removeValue(forKey: id) {
                effects.closing.append(connection)
            }
        }
        for id in actions.opening {
            // A task of its own, since the connection outlives the caller that made it necessary: a caller with little
            // time would otherwise take the attempt down with itself. `close()` cancels it and waits for it.
            state.openings[id] = Task {
                await self.open(id)
            }
        }
        let alarm = state.machine.nextEvent
        if alarm != state.alarm {
            state.alarm = alarm
            timer.schedule(at: alarm)
        }
        return effects
    }

    private func perform(_ effects: Effects) {
        for (continuation, result) in effects.answers {
            continuation.resume(returning: result)
        }
        for connection in effects.closing {
            connection.closeSoon()
        }
    }

    private func error(for refusal: PoolStateMachine.Refusal, _ state: State) -> PostgresError {
        switch (refusal, state.lastFailure) {
        case (.closed, _):
            PostgresError(.closed, message: "the connection pool was closed")
        case (.final, let failure?):
            failure
        case (.deadline, let failure?):
            PostgresError(.unavailable, message: failure.message, sqlState: failure.sqlState)
        case (.deadline, nil), (.final, nil):
            PostgresError(.connectTimedOut, message: "no database connection became free in time" + unanswered(state))
        }
    }
}
