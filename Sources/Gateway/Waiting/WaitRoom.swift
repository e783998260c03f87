// SPDX-License-Identifier: Apache-2.0

package import Logging
package import Postgres
import Schema
import ServiceLifecycle
import Synchronization
import VerificationQueue

/// Requests that wait for their orders. None of them holds a connection: up to a hundred orders are looked up in one statement.
package final class WaitRoom: Service {
    private static let mostAtOnce = 100
    private static let timeout = Duration.seconds(5)
    /// Look-ups that become due within a tick are made together.
    private static let tick = Duration.milliseconds(10)
    /// Between two looks at what is due where nothing is.
    private static let longestRest = Duration.seconds(60)

    package enum Ended: Sendable {
        case order(OrderAnswer)
        /// It was there before, and is there no more.
        case unknown
        case failed(PostgresError)
        /// The client went away.
        case gone
    }

    private struct Seat {
        /// The answer that the client has: it waits for another one. Nil: for any that isn't `wait`.
        let eTag: String?
        let continuation: CheckedContinuation<Ended, Never>
    }

    private struct State {
        var heap = WaitHeap()
        var seats: [Int: Seat] = [:]
        var nextID = 0
        var isStopping = false
    }

    private let pool: PostgresPool
    private let most: Int
    private let logger: Logger
    private let state = Mutex(State())
    /// Rings when something is due earlier than it was.
    private let bell = Bell()

    package init(pool: PostgresPool, most: Int, logger: Logger) {
        self.pool = pool
        self.most = most
        self.logger = logger
    }

    package var count: Int { state.withLock { $0.heap.count } }

    /// Waits until the order has news for the client, its time is over, or the gateway stops.
    ///
    /// - Parameters:
    ///   - eTag: of the answer that the client has: it waits for another one.
    ///   - onSeat: gets what ends the wait at once, for when the client goes away.
    /// - Throws: `too_many_waits`.
    package func wait(
        for order: String, of account: String, known eTag: String?, until deadline: ContinuousClock.Instant,
        onSeat: @Sendable (@escaping @Sendable () -> Void) -> Void
    ) async throws(Problem) -> Ended {
        let id: Int? = state.withLock { state in
            guard state.heap.count < most else { return nil }
            state.nextID += 1
            return state.nextID
        }
        guard let id else { throw Problem(.tooManyWaits) }
        let waiter = WaitHeap.Waiter(order: order, account: account, deadline: deadline)
        return await withCheckedContinuation { continuation in
            change { state in
                state.seats[id] = Seat(eTag: eTag, continuation: continuation)
                state.heap.add(waiter, id: id, now: .now)
                if state.isStopping { state.heap.wakeAll(now: .now) }
            }
            onSeat { [weak self] in self?.end(id, .gone) }
        }
    }

    /// The feed told of these orders.
    package func wake(orders: Set<String>) {
        change { state in
            for order in orders { state.heap.wake(order: order, now: .now) }
        }
    }

    /// All that wait are answered with what is.
    package func stop() {
        change { state in
            state.isStopping = true
            state.heap.wakeAll(now: .now)
        }
    }

    /// Whoever rests until something is due learns that it is due earlier.
    private func change(_ body: (inout State) -> Void) {
        let isEarlier = state.withLock { state in
            let before = state.heap.nextDue
            body(&state)
            guard let after = state.heap.nextDue else { return false }
            return before.map { after < $0 } ?? true
        }
        if isEarlier { bell.ring() }
    }

    /// Looks up, until it is cancelled.
    package func run() async throws {
        while !Task.isCancelled {
            let turn = bell.turn
            let (looks, next) = state.withLock { state in
                (state.heap.due(.now + Self.tick, atMost: Self.mostAtOnce), state.heap.nextDue)
            }
            if looks.isEmpty {
                await bell.wait(since: turn, until: next ?? .now + Self.longestRest)
            } else {
                await lookUp(looks)
            }
        }
        for id in state.withLock({ Array($0.seats.keys) }) { end(id, .gone) }
    }

    private func end(_ id: Int, _ how: Ended) {
        let seat = state.withLock { state in
            state.heap.remove(id)
            return state.seats.removeValue(forKey: id)
        }
        seat?.continuation.resume(returning: how)
    }

    private func lookUp(_ looks: [WaitHeap.Look]) async {
        var found: [[String]: PostgresRow] = [:]
        var action = 0
        do throws(PostgresError) {
            let rows = try await pool.execute(
                SQLFile.callOrderStatuses.statement,
                [.textArray(looks.map(\.order)), .textArray(looks.map(\.account))], timeout: Self.timeout)
            // Most go on waiting: no more than the action is read of their rows.
            action = rows.first.flatMap { row in (0..<row.columnCount).first { row.columnName($0) == "client_action" } } ?? 0
            for row in rows { found[[try row.string(0), try row.string(1)]] = row }
        } catch {
            logger.warning(
                "can't look up orders that clients wait for", metadata: ["error": "\(error)", "orders": "\(looks.count)"])
            for look in looks {
                if look.isLast { end(look.id, .failed(error)) } else { goOn(look.id, nil) }
            }
            return
        }
        for look in looks {
            guard let row = found[[look.order, look.account]] else {
                end(look.id, .unknown)
                continue
            }
            let eTag = state.withLock { $0.seats[look.id]?.eTag }
            let isWaiting = (try? row.string(action)) == "wait"
            if look.isLast || !isWaiting || eTag.map({ !OrderAnswer(row).isKnown($0) }) ?? false {
                end(look.id, .order(OrderAnswer(row)))
            } else {
                goOn(look.id, OrderAnswer.nextAttempt(row))
            }
        }
    }

    private func goOn(_ id: Int, _ nextAttempt: Duration?) {
        state.withLock { $0.heap.looked(id, nextAttempt: nextAttempt, now: .now) }
    }
}
