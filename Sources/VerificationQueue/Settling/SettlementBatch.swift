// SPDX-License-Identifier: Apache-2.0

import Postgres
import Verification

/// Settlements that are sent together, and what follows when the database refuses them. A value without I/O.
struct SettlementBatch: Sendable {
    enum Step {
        case sendAgain(SettlementBatch)
        /// Into parts of which at most one holds the row that is to blame.
        case split([SettlementBatch])
        /// Its job waits for a person to mend what refuses it.
        case putOff(Settlement, why: String)
        /// Not even that can be written.
        case giveUp(Settlement, why: String)
    }

    /// How often it is refused, for what may pass and may be a row's fault, before that is taken for a row's fault.
    static let mostRefusals = 3

    /// What must be left of a lease: a job that can't be settled is put off while there is time for that.
    static let timeToPutOff = Duration.seconds(2)

    var settlements: [Settlement]
    private var refusals = 0
    /// How many batches had been settled when it was refused first.
    private var settledBefore: Int?
    /// Others were settled since.
    private var othersPass = false

    init(_ settlements: [Settlement]) {
        self.settlements = settlements
    }

    /// - Parameter settled: how many batches the database has settled so far: if others pass meanwhile, it isn't to blame itself.
    ///   What was refused before it was known to be well counts no more.
    func next(after fault: SettlementFault, settled: Int, now: ContinuousClock.Instant) -> Step {
        guard let why = fault.message else { return .sendAgain(self) }
        let again = refused(settled)
        let isRefusedOften = again.refusals >= Self.mostRefusals
        guard settlements.count == 1, let settlement = settlements.first else {
            if case .ofTheMoment = fault, !isRefusedOften { return .sendAgain(again) }
            return .split(halves)
        }
        let isPutOff = settlement.reason == .shopTriggerFailed
        switch fault {
        case .passing: return .sendAgain(again)
        case .ofTheMoment where !again.othersPass && now < settlement.job.leaseEnds - Self.timeToPutOff:
            return .sendAgain(again)
        case .ofTheMoment, .perhapsOfARow:
            return isPutOff || !isRefusedOften ? .sendAgain(again) : .putOff(settlement, why: why)
        case .ofARow: return isPutOff ? .giveUp(settlement, why: why) : .putOff(settlement, why: why)
        }
    }

    private func refused(_ settled: Int) -> SettlementBatch {
        var again = self
        again.settledBefore = settledBefore ?? settled
        again.othersPass = settledBefore.map { settled > $0 } ?? false
        again.refusals = again.othersPass == othersPass ? refusals + 1 : 1
        return again
    }

    /// Each remembers how often it was sent again.
    private var halves: [SettlementBatch] {
        let middle = settlements.count / 2
        return [settlements[..<middle], settlements[middle...]].map { half in
            var part = self
            part.settlements = Array(half)
            return part
        }
    }
}

/// Why a settlement failed, as far as it matters for what to do next.
enum SettlementFault: Sendable, Hashable {
    /// Of the connection: the same batch may pass later.
    case passing
    /// Of the server or the moment: the same batch may pass later. Unless a shop's trigger says so, of a server of its own: then
    /// others pass meanwhile.
    case ofTheMoment(String)
    /// Of the moment, or of one of the rows: somebody has locked it, or a shop's trigger names what isn't there.
    case perhapsOfARow(String)
    /// Of one of the rows: the others may pass without it.
    case ofARow(String)

    /// The unique keys of the ledger.
    private static let ledgerKeys: Set<String> = ["one_grant_an_order", "one_grant_a_payment", "one_grant_a_transaction_id"]

    /// What the database said; nil where it said nothing.
    var message: String? {
        switch self {
        case .passing: nil
        case .ofTheMoment(let message), .perhapsOfARow(let message), .ofARow(let message): message
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
        case (.server, .uniqueViolation?) where error.constraint.map(Self.ledgerKeys.contains) == true:
            self = .ofTheMoment(message)
        case (.server, let state?): self.init(state, message)
        default: self = .passing
        }
    }

    private init(_ state: SQLState, _ message: String) {
        switch state.classCode {
        // Connection, read-only server, what was prepared is gone, no such database, deadlock or serialization,
        // resources, operator, system.
        case "08", "25", "26", "3D", "40", "53", "57", "58": self = .ofTheMoment(message)
        // What was prepared has changed, names that aren't there, locks, internal faults.
        case "0A", "3F", "42", "55", "XX": self = .perhapsOfARow(message)
        default: self = .ofARow(message)
        }
    }
}
