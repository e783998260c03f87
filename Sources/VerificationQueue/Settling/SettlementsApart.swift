// SPDX-License-Identifier: Apache-2.0

/// The parts that are settled apart: decides which comes next, and when no more can come. A value without I/O.
struct SettlementsApart: Sendable {
    private var parts: [SettlementBatch] = []
    /// The number of tasks that still settle batches. A batch may leave parts to be settled apart.
    private var tasks = 0

    /// Whether no part is left, and no more can come.
    var isOver: Bool { tasks == 0 && parts.isEmpty }

    /// When the first of the parts is due; nil without a part.
    var waitsUntil: ContinuousClock.Instant? { parts.map(\.waitsUntil).min() }

    /// - Parameter tasks: as many settle batches from now on.
    mutating func begin(tasks: Int) {
        self.tasks = tasks
    }

    /// One of the tasks settles no more batches.
    mutating func endTask() {
        tasks -= 1
    }

    mutating func add(_ parts: [SettlementBatch]) {
        self.parts += parts
    }

    /// Whether the task that settles apart has something to do: a part is due, or the task is to end.
    func hasWork(at now: ContinuousClock.Instant) -> Bool {
        isOver || waitsUntil.map { $0 <= now } == true
    }

    /// Takes the part that is settled next. A part that is refused or meets a lock again and again doesn't hold up the others.
    mutating func take(at now: ContinuousClock.Instant) -> SettlementBatch? {
        let due = parts.indices.filter { parts[$0].waitsUntil <= now }
        let next = due.min { (parts[$0].tries, parts[$0].waitsUntil) < (parts[$1].tries, parts[$1].waitsUntil) }
        return next.map { parts.remove(at: $0) }
    }
}
