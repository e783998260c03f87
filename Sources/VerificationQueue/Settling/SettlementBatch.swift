// SPDX-License-Identifier: Apache-2.0

import Postgres
import Verification

/// Settlements that are sent together, and the next step when the database refuses them. A value without I/O.
struct SettlementBatch: Sendable {
    enum Step {
        case sendAgain(SettlementBatch)
        /// Each is settled by itself, its order locked first, while the batches of others go on.
        case settleApart([SettlementBatch])
        /// Its job waits until an operator mends the cause.
        case putOff(Settlement, why: String)
        /// Somebody else's lock outlasts its lease: its job is attempted again later, and this attempt isn't counted.
        case release(Settlement)
        /// Neither its wait nor its review can be written: its job is discarded, and its payments aren't written.
        case discard(Settlement, why: String)
        /// Not even that can be written.
        case giveUp(Settlement, why: String)
    }

    /// The part of an attempt that the database is asked to write. Where it refuses one, the next is asked for. A job that waits is
    /// attempted again, and then begins with the first.
    private enum Request {
        case conclusion
        /// The job waits.
        case wait
        /// The order goes to review, and the payments become unclaimed.
        case review
        /// The order goes to review, the job is discarded, and the payments aren't written.
        case discard

        init(_ settlement: Settlement) {
            self =
                switch settlement.reason {
                case .settlementRefused: settlement.ends ? .review : .wait
                case .unstorable: .discard
                default: .conclusion
                }
        }
    }

    /// The number of refusals, for a cause that may pass, after which a row is taken to be at fault.
    static let mostRefusals = 3

    /// The time that must be left of a lease to put its job off.
    static let timeToPutOff = Duration.seconds(2)

    /// How long a batch waits whose jobs or orders somebody else has locked. Default 5 ms: a claim that locked them without taking
    /// them has ended by then.
    static let pauseWhileHeld = Duration.milliseconds(5)

    /// How often it waits so before it is settled apart. Default 3.
    static let mostResends = 3

    /// How a batch is settled, and how it meets the locks of others.
    private enum Way {
        /// By one statement, which grants what the ledger has no word of.
        case short
        /// Grants lock their orders.
        case first
        /// Its orders are locked first: those that somebody else has locked are passed over.
        case ordersFirst
        /// As that, for one settlement by itself, with a pause after each refusal and each lock of somebody else's.
        case apart
    }

    var settlements: [Settlement]

    private var way = Way.first

    var path: SettlementPath { way == .short ? .short : .careful }

    var locksOrders: Bool { way == .ordersFirst || way == .apart }

    var isApart: Bool { way == .apart }

    /// It isn't sent before; others are sent meanwhile.
    var waitsUntil = ContinuousClock.now

    /// How often it was refused, or somebody else had a lock.
    var tries: Int { refusals + waits }

    private var refusals = 0

    private var waits = 0

    /// How often it was sent again as a batch, because somebody else had a lock.
    private var resends = 0

    /// The number of batches that had been settled at the first refusal.
    private var settledBefore: Int?
    /// Other batches were settled since.
    private var othersPass = false

    init(_ settlements: [Settlement]) {
        self.settlements = settlements
    }

    /// The batches that settle these, each by the path to try first. Refunds come before grants, as within a batch: a payment that
    /// Apple took back isn't granted.
    static func batches(of settlements: [Settlement]) -> [SettlementBatch] {
        var (short, careful) = (SettlementBatch([]), SettlementBatch([]))
        short.way = .short
        for settlement in settlements {
            switch SettlementPath(settlement) {
            case .short: short.settlements.append(settlement)
            case .careful: careful.settlements.append(settlement)
            }
        }
        let hasWords = careful.settlements.contains { $0.payments.contains(where: \.hasWords) }
        return (hasWords ? [careful, short] : [short, careful]).filter { !$0.settlements.isEmpty }
    }

    /// These settlements of it, by the careful path.
    private func carefully(_ settlements: [Settlement]) -> SettlementBatch {
        var again = self
        again.settlements = settlements
        again.way = .first
        return again
    }

    /// Whether its settlements take the careful path after this: that decides about what the ledger knows, somebody moved or
    /// locked, or a row refuses. Nothing has failed then.
    func fallsOut(after fault: SettlementFault) -> Bool {
        guard path == .short else { return false }
        return switch fault {
        case .lock, .ofARow, .perhapsOfARow: true
        case .passing, .ofTheMoment: false
        }
    }

    /// The next step when nothing was written for these settlements: the short path left them out, or somebody else has locked
    /// their jobs or orders.
    func next(afterLeaving left: [Settlement], now: ContinuousClock.Instant) -> Step {
        if path == .short { return .sendAgain(carefully(left)) }
        return next(afterLockOf: left, now: now)
    }

    private func next(afterLockOf locked: [Settlement], now: ContinuousClock.Instant) -> Step {
        guard isApart, let settlement = locked.first else {
            guard resends < Self.mostResends else { return .settleApart(apart(locked)) }
            var again = self
            again.settlements = locked
            again.resends += 1
            again.waitsUntil = now + Self.pauseWhileHeld
            return .sendAgain(again)
        }
        guard hasTimeToWait(settlement, now) || settlement.isReleased else { return .release(settlement) }
        return .sendAgain(waited)
    }

    /// The next step when somebody else has locked a row: an order that was not locked first, or a payment.
    private func next(afterLockAt now: ContinuousClock.Instant) -> Step {
        guard locksOrders else {
            var again = self
            again.way = .ordersFirst
            return .sendAgain(again)
        }
        guard isApart, let settlement = settlements.first else { return .settleApart(apart(settlements)) }
        guard case .conclusion = Request(settlement), !hasTimeToWait(settlement, now) else { return .sendAgain(waited) }
        return .release(settlement)
    }

    private func hasTimeToWait(_ settlement: Settlement, _ now: ContinuousClock.Instant) -> Bool {
        now < settlement.job.leaseEnds - Self.timeToPutOff
    }

    private var waited: SettlementBatch {
        var again = self
        again.waits += 1
        return again
    }

    private func apart(_ settlements: [Settlement]) -> [SettlementBatch] {
        settlements.map { settlement in
            var part = self
            part.settlements = [settlement]
            part.way = .apart
            return part
        }
    }

    /// - Parameter settled: the number of batches that the database has settled so far. If others pass meanwhile, the server isn't
    ///   to blame, and earlier refusals no longer count.
    func next(after fault: SettlementFault, settled: Int, now: ContinuousClock.Instant) -> Step {
        if fallsOut(after: fault) { return .sendAgain(carefully(settlements)) }
        guard let why = fault.message else { return .sendAgain(self) }
        if case .lock = fault { return next(afterLockAt: now) }
        let again = refused(settled)
        let isRefusedOften = again.refusals >= Self.mostRefusals
        guard settlements.count == 1, let settlement = settlements.first else {
            if case .ofTheMoment = fault, !isRefusedOften { return .sendAgain(again) }
            return .settleApart(again.apart(settlements))
        }
        let isOfThisRow =
            switch fault {
            case .passing, .lock: false
            case .ofTheMoment where !again.othersPass && hasTimeToWait(settlement, now): false
            case .ofTheMoment, .perhapsOfARow: isRefusedOften
            case .ofARow: true
            }
        switch Request(settlement) {
        case .conclusion: return isOfThisRow ? .putOff(settlement, why: why) : .sendAgain(again)
        case .review: return isOfThisRow ? .discard(settlement, why: why) : .sendAgain(again)
        // They write nothing of the ledger. Whatever else refuses them may pass, until their lease ends.
        case .wait: return fault.isOfARow ? .discard(settlement, why: why) : .sendAgain(again)
        case .discard: return fault.isOfARow ? .giveUp(settlement, why: why) : .sendAgain(again)
        }
    }

    /// Whether the server may be to blame: then nothing else is sent to it for a while.
    ///
    /// - Parameter settled: as in ``next(after:settled:now:)``.
    func holdsUpOthers(after fault: SettlementFault, settled: Int) -> Bool {
        switch fault {
        case .passing: true
        case .ofTheMoment: !othersPass(settled)
        case .lock, .perhapsOfARow, .ofARow: false
        }
    }

    private func othersPass(_ settled: Int) -> Bool {
        settledBefore.map { settled > $0 } ?? false
    }

    private func refused(_ settled: Int) -> SettlementBatch {
        var again = self
        again.settledBefore = settledBefore ?? settled
        again.othersPass = othersPass(settled)
        again.refusals = again.othersPass == othersPass ? refusals + 1 : 1
        return again
    }
}
