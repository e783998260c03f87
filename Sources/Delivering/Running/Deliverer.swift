// SPDX-License-Identifier: Apache-2.0

import EventSources
package import Logging
package import Postgres
import ServiceLifecycle
import Synchronization

/// Reads the feed and calls a shop's function for each change, exactly once as far as the function's own database goes.
///
/// It has one connection, by the shop's role, and works with the shop's rights alone. A second deliverer of the same state is a
/// spare. It waits for a database that is away; ``DeliveryMachine`` decides everything else.
package final class Deliverer: Service {
    /// Between two counts of what waits.
    private static let measureInterval = Duration.seconds(5)
    /// Committed pages between two that drop old notes.
    private static let pagesBetweenForgetting = 20

    private let configuration: PostgresConfiguration
    private let plan: DeliveryPlan
    private let logger: Logger
    private let metrics: DelivererMetrics?
    private let observe: (@Sendable (DelivererEvent) -> Void)?
    private let progress: Mutex<DelivererProgress>
    /// Yields once, when the database answered first.
    package let readiness: AsyncStream<Void>
    private let becomeReady: AsyncStream<Void>.Continuation

    /// - Parameters:
    ///   - configuration: by which the shop's role connects. Its session keeps the role's own settings.
    ///   - metrics: nil where nobody reads metrics.
    ///   - observe: called with each step that ended; must be quick.
    package init(
        _ configuration: PostgresConfiguration, plan: DeliveryPlan, logger: Logger, metrics: DelivererMetrics? = nil,
        observe: (@Sendable (DelivererEvent) -> Void)? = nil
    ) {
        var configuration = configuration
        configuration.isPinned = false
        configuration.applicationName = "counterfoil deliver"
        self.configuration = configuration
        self.plan = plan
        self.logger = logger
        self.metrics = metrics
        self.observe = observe
        progress = Mutex(DelivererProgress(phaseBegan: .now, lastRound: .now))
        (readiness, becomeReady) = AsyncStream.makeStream()
    }

    package func snapshot() -> DelivererSnapshot {
        DelivererSnapshot(progress: progress.withLock { $0 }, judgedAt: .now)
    }

    package func updateGauges() {
        metrics?.set(snapshot())
    }

    /// Delivers until it is asked to stop; then it ends the step that it is at.
    ///
    /// - Throws: ``DeliveryProblem``, and what refuses its role.
    package func run() async throws {
        defer { becomeReady.finish() }
        var round = DelivererRound(machine: DeliveryMachine(plan.limits))
        var store: DeliveryStore?
        while !Task.isShuttingDownGracefully, !Task.isCancelled {
            progress.withLock { $0.lastRound = .now }
            if store == nil { store = try await connect(&round) }
            guard let current = store else { continue }
            if try await !carryOut(&round, current) {
                await current.connection.close()
                store = nil
            }
        }
        begin(.stopping)
        await store?.connection.close()
    }

    // MARK: Connecting

    /// - Returns: nil when it is worth another try.
    private func connect(_ round: inout DelivererRound) async throws -> DeliveryStore? {
        begin(.connecting)
        var opened: PostgresConnection?
        do {
            let connection = try await PostgresConnection.connect(configuration, logger: logger)
            opened = connection
            let store = plan.makeStore(connection)
            if !round.isPrepared {
                let isNew = try await DeliverySetUp(store: store, start: plan.start).prepare()
                round.isPrepared = true
                logger.notice(
                    "delivers",
                    metadata: [
                        "function": "\(plan.function)", "state": "\(plan.tables.state)", "state_is_new": "\(isNew)",
                    ])
            }
            begin(.working)
            round.connectFailures = 0
            return store
        } catch {
            await opened?.close()
            // The loop ends.
            guard !Task.isCancelled else { return nil }
            guard let error = error as? PostgresError, isWorthWaiting(error, wasPrepared: round.isPrepared) else { throw error }
            round.connectFailures += 1
            logger.warning("can't reach the database", metadata: ["error": "\(error)", "failures": "\(round.connectFailures)"])
            await rest(min(.seconds(1), .milliseconds(100) * round.connectFailures))
            return nil
        }
    }

    private func isWorthWaiting(_ error: PostgresError, wasPrepared: Bool) -> Bool {
        if error.isConnectionLoss && !error.isRefusal || error.mayPass { return true }
        // After a failover the role may come a little later than the server.
        return wasPrepared && error.kind != .cancelled
    }

    // MARK: Steps

    /// Carries the machine's step out.
    ///
    /// - Returns: false when the connection is of no more use.
    /// - Throws: ``DeliveryProblem``.
    private func carryOut(_ round: inout DelivererRound, _ store: DeliveryStore) async throws -> Bool {
        let step = round.machine.step
        if case .rest(let duration) = step {
            await rest(duration)
            round.machine.rested()
            return true
        }
        var isUsable = true
        let outcome: DeliveryMachine.Outcome
        do {
            outcome = try await end(of: step, store, &isUsable)
            if isUsable { try await doChores(&round, outcome, store) }
        } catch let problem as DeliveryProblem {
            await store.connection.close()
            throw problem
        } catch {
            if !Task.isCancelled {
                logger.warning("the database is in the way", metadata: ["error": "\(error)"])
                note(error: "\(error)")
            }
            round.machine.ended(.troubled)
            return false
        }
        let wasPaused = round.machine.isPaused
        round.machine.ended(outcome)
        answered(by: round.machine, outcome, wasPaused: wasPaused)
        observe?(DelivererEvent(step: step, outcome: outcome))
        return isUsable
    }

    private func end(
        of step: DeliveryMachine.Step, _ store: DeliveryStore, _ isUsable: inout Bool
    ) async throws -> DeliveryMachine.Outcome {
        switch step {
        case .rest: return .looked(hasNews: false)
        case .look: return try await store.look()
        case .page(let limit): return try await deliverPage(atMost: limit, store, &isUsable)
        case .part(let part):
            let outcome = try await store.deliver(part)
            if case .partFailed(let failure) = outcome { isUsable = await leave(store, failure) }
            if outcome == .partDone, part.change != nil { metrics?.count(delivered: 1) }
            return outcome
        case .putOff(let part, let failure):
            let outcome = try await store.putOff(part, failure)
            if outcome == .putOffDone, let change = part.change {
                metrics?.countFailure()
                note(error: failure.text)
                logger.warning(
                    "a change can't be delivered; it waits",
                    metadata: ["change.id": "\(change.id)", "change.key": "\(change.key)", "error": "\(failure.text)"])
            }
            return outcome
        case .waiting(let onlyDue): return try await tryWaiting(onlyDue: onlyDue, store, &isUsable)
        case .beginAnew(let cursor):
            if let safeAt = try await store.beginAnew(cursor) {
                logger.warning("the cursor is unknown here: begins anew", metadata: ["from": "\(safeAt)"])
            }
            return .beganAnew
        }
    }

    private func deliverPage(
        atMost limit: Int32, _ store: DeliveryStore, _ isUsable: inout Bool
    ) async throws -> DeliveryMachine.Outcome {
        do {
            return try await store.deliverPage(atMost: limit) { page in
                metrics?.count(delivered: page.calls.count)
                let oldest = page.isFull ? page.changes.first?.at.microsecondsSince1970 : nil
                progress.withLock { $0.oldestInHand = oldest }
                logger.debug(
                    "delivered a page", metadata: ["changes": "\(page.changes.count)", "calls": "\(page.calls.count)"])
            }
        } catch let failed as PageFailure {
            guard let failure = DeliveryFailure(failed.error), !Task.isCancelled else { throw failed.error }
            isUsable = await leave(store, failure)
            progress.withLock { $0.oldestInHand = failed.page.changes.first?.at.microsecondsSince1970 }
            note(error: failure.text)
            logger.warning(
                "a page failed; it is done again change by change",
                metadata: ["changes": "\(failed.page.changes.count)", "error": "\(failure.text)"])
            return .pageFailed(failed.page)
        }
    }

    private func tryWaiting(
        onlyDue: Bool, _ store: DeliveryStore, _ isUsable: inout Bool
    ) async throws -> DeliveryMachine.Outcome {
        let trial = try await store.tryWaiting(onlyDue: onlyDue)
        guard let waiting = trial.waiting else { return trial.outcome }
        guard let failure = trial.failure else {
            metrics?.count(delivered: 1)
            logger.notice("a waiting change was delivered", metadata: ["change.id": "\(waiting.id)"])
            return trial.outcome
        }
        metrics?.countFailure()
        note(error: failure.text)
        logger.warning(
            "a waiting change failed again",
            metadata: ["change.id": "\(waiting.id)", "tries": "\(waiting.tries + 1)", "error": "\(failure.text)"])
        isUsable = await leave(store, failure)
        if isUsable {
            try await store.note(failure, of: waiting)
        } else {
            // It costs another connection, so that it isn't tried again at once.
            try await withStore { try await $0.note(failure, of: waiting) }
        }
        return trial.outcome
    }

    private func withStore(_ body: (DeliveryStore) async throws -> Void) async throws {
        let connection = try await PostgresConnection.connect(configuration, logger: logger)
        try await endingLast(connection.close) { try await body(plan.makeStore(connection)) }
    }

    /// - Returns: false when the session is lost.
    private func leave(_ store: DeliveryStore, _ failure: DeliveryFailure) async -> Bool {
        guard !failure.lostSession else { return false }
        do {
            try await store.leaveSession()
            return true
        } catch {
            return false
        }
    }

    // MARK: Chores

    private func doChores(
        _ round: inout DelivererRound, _ outcome: DeliveryMachine.Outcome, _ store: DeliveryStore
    ) async throws {
        switch outcome {
        case .delivered, .partDone, .putOffDone: round.pagesSinceForgetting += 1
        default: break
        }
        if round.pagesSinceForgetting >= Self.pagesBetweenForgetting {
            round.pagesSinceForgetting = 0
            try await store.forgetPages()
        }
        guard round.measuredAt.map({ $0.duration(to: .now) >= Self.measureInterval }) ?? true else { return }
        round.measuredAt = .now
        if let measured = try await store.measure() {
            progress.withLock { ($0.waiting, $0.oldestWaiting) = (measured.waiting, measured.oldest) }
        }
    }

    // MARK: Telling

    private func begin(_ phase: DelivererProgress.Phase) {
        progress.withLock { progress in
            guard progress.phase != phase else { return }
            progress.phase = phase
            progress.phaseBegan = .now
        }
    }

    private func note(error: String) {
        progress.withLock { $0.lastError = error }
    }

    private func answered(by machine: DeliveryMachine, _ outcome: DeliveryMachine.Outcome, wasPaused: Bool) {
        let wasStandingBy = progress.withLock { progress in
            defer {
                progress.lastAnswer = .now
                progress.isPaused = machine.isPaused
                progress.standsBy = machine.standsBy
                if machine.standsBy { progress.oldestInHand = nil }
                if case .empty = outcome { progress.oldestInHand = nil }
            }
            return progress.standsBy
        }
        becomeReady.yield()
        becomeReady.finish()
        if machine.standsBy && !wasStandingBy { logger.info("another deliverer holds the state: stands by") }
        if machine.isPaused && !wasPaused {
            logger.error("pages are paused: too many changes failed in a row", metadata: ["failures": "\(plan.limits.failures)"])
        } else if wasPaused && !machine.isPaused {
            logger.notice("pages go on")
        }
    }

    /// Sleeps; a shutdown ends it.
    private func rest(_ duration: Duration) async {
        await cancelWhenGracefulShutdown { try? await Task.sleep(for: duration) }
    }
}

/// What a deliverer's loop remembers.
private struct DelivererRound {
    var machine: DeliveryMachine
    var isPrepared = false
    var connectFailures = 0
    var pagesSinceForgetting = 0
    var measuredAt: ContinuousClock.Instant?

    init(machine: DeliveryMachine) {
        self.machine = machine
    }
}
