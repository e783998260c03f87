// SPDX-License-Identifier: Apache-2.0

import Postgres
import Verification

/// Why a settlement failed, as far as the next step depends on it.
enum SettlementFault: Sendable, Hashable {
    /// The connection: the same batch may pass later.
    case passing
    /// Another session has locked a row, or the order that a grant was to lock was moved: it may pass once that session is done.
    case lock(String)
    /// The server or the moment: the same batch may pass later. If one row has no room or can't be read, other batches pass
    /// meanwhile.
    case ofTheMoment(String)
    /// The moment, or one of the rows: it takes long, or something that the settlement names isn't there or may not be used.
    case perhapsOfARow(String)
    /// One of the rows, which a constraint or somebody's trigger refuses: the others may pass without it.
    case ofARow(String)

    /// The unique keys of the ledger.
    private static let ledgerKeys: Set<String> = ["one_grant_an_order", "one_grant_a_payment", "one_grant_a_transaction_id"]

    /// The database's message; nil where it gave none.
    var message: String? {
        switch self {
        case .passing: nil
        case .lock(let message), .ofTheMoment(let message), .perhapsOfARow(let message), .ofARow(let message): message
        }
    }

    /// Whether it is the row's fault for sure.
    var isOfARow: Bool {
        if case .ofARow = self { true } else { false }
    }

    init(_ error: any Error) {
        if error is OrdersMoved {
            self = .lock("an order was moved meanwhile")
            return
        }
        guard let error = error as? PostgresError else {
            self = .passing
            return
        }
        let message = "\(error.sqlState.map { "\($0): " } ?? "")\(error.message.prefix(200))"
        switch (error.kind, error.sqlState) {
        // Out of time.
        case (.timedOut, _), (.server, .queryCanceled?): self = .perhapsOfARow(message)
        // Another settlement granted one of these payments between two statements: the next read of the ledger sees it.
        case (.server, .uniqueViolation?) where error.constraint.map(Self.ledgerKeys.contains) == true:
            self = .lock(message)
        case (.server, let state?): self.init(state, message)
        default: self = .passing
        }
    }

    private init(_ state: SQLState, _ message: String) {
        if state == .lockNotAvailable || state == .deadlockDetected || state == .movedGrants {
            self = .lock(message)
            return
        }
        switch state.classCode {
        // Connection, read-only server, lost prepared statement, no such database, serialization, resources, operator, system.
        case "08", "25", "26", "3D", "40", "53", "57", "58": self = .ofTheMoment(message)
        // Changed prepared statement, unknown names, objects in use, internal faults.
        case "0A", "3F", "42", "55", "XX": self = .perhapsOfARow(message)
        default: self = .ofARow(message)
        }
    }
}

extension SQLState {
    /// Of `refuse_moved_grants.sql`.
    static let movedGrants = SQLState(rawValue: "CF001")
}
