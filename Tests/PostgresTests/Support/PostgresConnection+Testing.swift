// SPDX-License-Identifier: Apache-2.0

@testable import Postgres

extension PostgresConnection {
    /// Whether a statement can be tried: the connection stands, and its server was not found to be read-only.
    var isUsable: Bool { !machine.isClosed && !isRetired }

    /// Calls that have no answer yet.
    var waitingCount: Int { pending.count }
}

extension QueryStateMachine {
    var isIdle: Bool { state == .idle }
}

extension PoolStateMachine {
    var waiterCount: Int { waiters.count }
}
