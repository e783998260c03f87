// SPDX-License-Identifier: Apache-2.0

/// Who holds which connection of a pool, who waits for one, and when to try to make new ones.
///
/// Waiters are served in order. Connections are opened only when somebody waits; after a failure one at a time and not
/// before the backoff is over. A refusal that waiting can't mend (a wrong password) is given to all who wait.
struct PoolStateMachine {
    typealias ConnectionID = Int
    typealias WaiterID = Int
    typealias Instant = ContinuousClock.Instant

    /// Why a waiter gets nothing.
    enum Refusal: Equatable {
        case deadline
        /// The server refused in a way that waiting can't mend.
        case final
        case closed
    }

    enum LeaseAction: Equatable {
        case lend(ConnectionID)
        /// The caller waits; the connections are to be opened.
        case wait(opening: [ConnectionID])
        case refuse(Refusal)
    }

    struct Loan: Equatable {
        let connection: ConnectionID
        let waiter: WaiterID
    }

    /// The consequences of an event, to be carried out in any order.
    struct Actions: Equatable {
        var loans: [Loan] = []
        var opening: [ConnectionID] = []
        var closing: [ConnectionID] = []
        var refused: [WaiterID] = []
        /// Of all who are refused at once.
        var refusal = Refusal.deadline
    }

    struct Waiter {
        let id: WaiterID
        let deadline: Instant
    }

    let size: Int

    /// Attempts to open that failed since one succeeded.
    private(set) var failures = 0

    /// Whether connections are lent no more. ``close()`` sets it, and nothing takes it back.
    private(set) var isClosed = false

    // A connection is in one of the next three, or the pool doesn't know it.

    /// Open, and nobody's. The last one to come back is lent first.
    ///
    /// Transitions:
    /// - ``lease(_:deadline:now:)``: to `lent`
    /// - ``close()``: out of the pool, to be closed
    private var idle: [ConnectionID] = []

    /// In a caller's hands.
    ///
    /// Transitions:
    /// - ``released(_:isReusable:now:)`` of a usable one: stays, lent to the first waiter; `idle` if nobody waits
    /// - ``released(_:isReusable:now:)`` of an unusable one, or to a closed pool: out of the pool, to be closed
    private var lent: Set<ConnectionID> = []

    /// Being opened, for waiters.
    ///
    /// Transitions:
    /// - ``opened(_:now:)``: to `lent` for the first waiter; `idle` if nobody waits
    /// - ``opened(_:now:)`` in a closed pool: out of the pool, to be closed
    /// - ``openingFailed(_:isFinal:retryAfter:now:)``: out of the pool; another one may take its place once it is `retryAt`
    private var opening: Set<ConnectionID> = []

    /// Callers without a connection, in order.
    ///
    /// Transitions:
    /// - ``opened(_:now:)``, ``released(_:isReusable:now:)``: the first one is served
    /// - ``timePassed(now:)``: refused, those whose deadline has passed
    /// - ``openingFailed(_:isFinal:retryAfter:now:)``: all refused, if the failure is final
    /// - ``gaveUp(_:)``: forgotten
    /// - ``close()``: all refused
    private(set) var waiters: [Waiter] = []

    /// When the next attempt to open is due, after a failure.
    private var retryAt: Instant?
    private var nextConnectionID = 1

    init(size: Int) {
        precondition(size >= 1, "a pool has at least one connection")
        self.size = size
    }

    /// Open or being opened, idle or lent.
    var connectionCount: Int { idle.count + lent.count + opening.count }

    /// Of each kind.
    var connectionCounts: (idle: Int, lent: Int, opening: Int) { (idle.count, lent.count, opening.count) }

    /// When ``timePassed(now:)`` has something to do at the earliest.
    var nextEvent: Instant? {
        guard var first = waiters.first?.deadline else { return nil }
        for waiter in waiters {
            first = min(first, waiter.deadline)
        }
        if let retryAt, opening.isEmpty, connectionCount < size {
            first = min(first, retryAt)
        }
        return first
    }

    /// A caller wants a connection, until `deadline` at most.
    mutating func lease(_ waiter: WaiterID, deadline: Instant, now: Instant) -> LeaseAction {
        guard !isClosed else { return .refuse(.closed) }
        if let connection = idle.popLast() {
            lent.insert(connection)
            return .lend(connection)
        }
        guard deadline > now else { return .refuse(.deadline) }
        waiters.append(Waiter(id: waiter, deadline: deadline))
        return .wait(opening: connectionsToOpen(now: now))
    }

    /// A connection that was being opened stands.
    mutating func opened(_ connection: ConnectionID, now: Instant) -> Actions {
        opening.remove(connection)
        failures = 0
        retryAt = nil
        return handOn(connection, now: now)
    }

    /// A connection could not be opened; the next attempt is not due before `delay`.
    mutating func openingFailed(
        _ connection: ConnectionID,
        isFinal: Bool,
        retryAfter delay: Duration,
        now: Instant
    ) -> Actions {
        opening.remove(connection)
        failures += 1
        retryAt = now + delay
        guard isFinal else {
            return Actions(opening: connectionsToOpen(now: now))
        }
        defer { waiters = [] }
        return Actions(refused: waiters.map(\.id), refusal: .final)
    }

    /// A caller is done with a connection.
    mutating func released(_ connection: ConnectionID, isReusable: Bool, now: Instant) -> Actions {
        guard lent.remove(connection) != nil else { return Actions() }
        guard isReusable else {
            return Actions(opening: connectionsToOpen(now: now), closing: [connection])
        }
        return handOn(connection, now: now)
    }

    /// A caller no longer waits (its task was cancelled).
    ///
    /// - Returns: false when it was not waiting any more.
    mutating func gaveUp(_ waiter: WaiterID) -> Bool {
        guard let index = waiters.firstIndex(where: { $0.id == waiter }) else { return false }
        waiters.remove(at: index)
        return true
    }

    /// The time of ``nextEvent`` has come.
    mutating func timePassed(now: Instant) -> Actions {
        let expired = waiters.filter { $0.deadline <= now }
        waiters.removeAll { $0.deadline <= now }
        return Actions(opening: connectionsToOpen(now: now), refused: expired.map(\.id))
    }

    /// Lends no more: idle connections are closed now, those that are lent or being opened when they come back.
    mutating func close() -> Actions {
        isClosed = true
        defer {
            idle = []
            waiters = []
        }
        return Actions(closing: idle, refused: waiters.map(\.id), refusal: .closed)
    }

    /// Gives a usable connection to the first who waits, or keeps it.
    private mutating func handOn(_ connection: ConnectionID, now: Instant) -> Actions {
        guard !isClosed else { return Actions(closing: [connection]) }
        guard !waiters.isEmpty else {
            idle.append(connection)
            return Actions()
        }
        lent.insert(connection)
        let waiter = waiters.removeFirst()
        return Actions(
            loans: [Loan(connection: connection, waiter: waiter.id)],
            opening: connectionsToOpen(now: now)
        )
    }

    /// As many as there are waiters without one in sight, within the size.
    private mutating func connectionsToOpen(now: Instant) -> [ConnectionID] {
        guard !isClosed else { return [] }
        var count = min(waiters.count - opening.count, size - connectionCount)
        if failures > 0 {
            let isDue = retryAt.map { $0 <= now } ?? true
            count = opening.isEmpty && isDue ? min(count, 1) : 0
        }
        guard count > 0 else { return [] }
        let connections = Array(nextConnectionID..<nextConnectionID + count)
        nextConnectionID += count
        opening.formUnion(connections)
        return connections
    }
}
