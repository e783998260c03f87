// SPDX-License-Identifier: Apache-2.0

import Postgres
import Verification

/// Settlements that are sent together, and what follows when the database refuses them. A value without I/O.
struct SettlementPart: Sendable {
    enum Step {
        case sendAgain(SettlementPart)
        /// Into parts of which at most one holds the row that is to blame.
        case split([SettlementPart])
        /// Its job waits for a person to mend what refuses it.
        case putOff(Settlement, why: String)
        /// Not even that can be written.
        case giveUp(Settlement, why: String)
    }

    /// How often one settlement is refused, for what may be its row's fault and may pass, before its job is put off.
    static let refusalsBeforePutOff = 3

    var settlements: [Settlement]
    private var refusals = 0

    init(_ settlements: [Settlement]) {
        self.settlements = settlements
    }

    func next(after fault: SettlementFault) -> Step {
        guard let why = fault.message else { return .sendAgain(self) }
        guard settlements.count == 1, let settlement = settlements.first else {
            let middle = settlements.count / 2
            return .split([SettlementPart(Array(settlements[..<middle])), SettlementPart(Array(settlements[middle...]))])
        }
        let isPutOff = settlement.reason == .shopTriggerFailed
        if case .ofARow = fault {
            return isPutOff ? .giveUp(settlement, why: why) : .putOff(settlement, why: why)
        }
        var again = self
        again.refusals += 1
        return isPutOff || again.refusals < Self.refusalsBeforePutOff ? .sendAgain(again) : .putOff(settlement, why: why)
    }
}

/// Why a settlement failed, as far as it matters for what to do next.
enum SettlementFault: Sendable, Hashable {
    /// Of the connection, the server or the moment: the same batch may pass later.
    case passing
    /// Of the moment, or of one of the rows: somebody has locked it, or a shop's trigger names what isn't there.
    case perhapsOfARow(String)
    /// Of one of the rows: the others may pass without it.
    case ofARow(String)

    /// What the database said of a row; nil where it blames none.
    var message: String? {
        switch self {
        case .passing: nil
        case .perhapsOfARow(let message), .ofARow(let message): message
        }
    }

    init(_ error: any Error) {
        guard let error = error as? PostgresError else {
            self = .passing
            return
        }
        let message = "\(error.sqlState.map { "\($0): " } ?? "")\(error.message.prefix(200))"
        switch (error.kind, error.sqlState) {
        // The time that a settlement may take, which it may have spent waiting in a trigger.
        case (.timedOut, _), (.server, .queryCanceled?): self = .perhapsOfARow(message)
        // Another settlement granted one of these payments between our look and our insert: the next look sees it.
        case (.server, .uniqueViolation?) where error.constraint?.hasPrefix("one_grant_") == true: self = .passing
        case (.server, let state?): self.init(state, message)
        default: self = .passing
        }
    }

    private init(_ state: SQLState, _ message: String) {
        switch state.classCode {
        // Connection, read-only server, what was prepared is gone, no such database, deadlock or serialization,
        // resources, operator, system.
        case "08", "25", "26", "3D", "40", "53", "57", "58": self = .passing
        // What was prepared has changed, names that aren't there, locks, internal faults.
        case "0A", "3F", "42", "55", "XX": self = .perhapsOfARow(message)
        default: self = .ofARow(message)
        }
    }
}
