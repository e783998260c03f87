// SPDX-License-Identifier: Apache-2.0

import EventSources
import Logging
import Synchronization

/// A lent connection whose caller has gone on without the answer to a commit.
struct UnansweredConnection: Sendable {
    let connection: PostgresConnection
    /// The last inspection found that its server doesn't work on anything for it.
    var isIdleOnServer = false
}

// A commit that waits for a synchronous standby may take as long as the standby is away. Its connection is kept meanwhile.
//
// An answer may also be lost without a sign: something between us and the server, such as a proxy, keeps the connection open. So
// the server is asked now and then whether its sessions still work. That takes one more session, for a moment.
extension PostgresPool {
    /// Takes a connection back once its server has answered, or it broke.
    func keepUntilAnswered(_ lease: Lease) {
        let isFirst = state.withLock { state in
            state.unanswered[lease.id] = UnansweredConnection(connection: lease.connection)
            defer { state.isInspecting = true }
            return !state.isInspecting
        }
        logger.debug("a commit has no answer; its connection is kept until the server answers")
        if isFirst { scheduleInspection() }
        lease.connection.whenAnswered { [weak self] in
            guard let self else { return }
            self.state.withLock { $0.unanswered[lease.id] = nil }
            self.release(lease)
        }
    }

    func closeUnanswered() {
        for one in state.withLock({ Array($0.unanswered.values) }) {
            one.connection.closeSoon()
        }
    }

    /// The end of an error's message, where all connections are lent.
    func unanswered(_ state: State) -> String {
        let count = state.unanswered.count
        return count == 0 ? "" : "; \(count) of \(state.machine.size) wait for the server's answer to a commit"
    }

    private func scheduleInspection() {
        inspectionTimer.schedule(at: .now + configuration.inspectionInterval)
    }

    /// The timer's handler.
    func startInspection() {
        let unanswered = state.withLock { state in
            state.isInspecting = !state.unanswered.isEmpty && !state.machine.isClosed
            return state.isInspecting ? state.unanswered : [:]
        }
        guard !unanswered.isEmpty else { return }
        // A task of its own: a timer's handler can't wait. It ends by its timeouts.
        Task {
            await inspect(unanswered)
            scheduleInspection()
        }
    }

    /// Closes the connections for which the server works on nothing, as two inspections found: an answer on its way comes in
    /// between.
    private func inspect(_ unanswered: [ConnectionID: UnansweredConnection]) async {
        guard let working = await findWorkingSessions(of: unanswered) else { return }
        for (id, one) in unanswered {
            let isIdle = await !working.contains(one.connection.serverProcessID)
            let isLost = state.withLock { state in
                guard let before = state.unanswered[id]?.isIdleOnServer else { return false }
                state.unanswered[id]?.isIdleOnServer = isIdle
                return isIdle && before
            }
            if isLost {
                logger.debug("the answer to a commit was lost; its connection is closed")
                one.connection.closeSoon()
            }
        }
    }

    /// The server's processes that work on something; nil if that can't be known now.
    private func findWorkingSessions(of unanswered: [ConnectionID: UnansweredConnection]) async -> Set<Int32>? {
        do {
            var processes: [Int32] = []
            for one in unanswered.values {
                // A pooler makes up the process of each session.
                guard await one.connection.session == .same else { return nil }
                processes.append(await one.connection.serverProcessID)
            }
            let connection = try await PostgresConnection.connect(configuration, executor: executor, logger: logger)
            defer { connection.closeSoon() }
            let rows = try await connection.execute(
                .workingSessions, [.int4Array(processes)], timeout: configuration.connectTimeout)
            return Set(try rows.map { try $0.int32(0) })
        } catch {
            logger.debug("could not ask for commits without an answer", metadata: ["error": "\(error)"])
            return nil
        }
    }
}

extension PostgresStatement {
    fileprivate static let workingSessions = PostgresStatement(
        name: "working_sessions",
        sql: """
            select a.pid from pg_catalog.pg_stat_activity a
            where a.pid operator(pg_catalog.=) any ($1::pg_catalog.int4[]) and a.state operator(pg_catalog.=) 'active'
            """,
        isReading: true)
}
