// SPDX-License-Identifier: Apache-2.0

import Verification

/// A size of batches, or a kind of payment, that the part "path" measures.
struct PathCase: Sendable {
    let product: BenchProduct
    let batch: Int
    let targets: [PathTarget]
    /// Whether a worker with such batches is a contender: one with small batches waits more than it works.
    let hasWorker: Bool

    /// One purchase at a time is what most shops have; some at once are sent by several connections, as a worker does.
    var clients: Int { batch <= 5 ? 1 : WorkerPlan.defaultConnections }

    /// Of `jobs` by large batches, as many as take about as long by small ones.
    func jobs(of jobs: Int) -> Int {
        switch batch {
        case 1: jobs / 10
        case ...5: jobs / 4
        default: jobs
        }
    }

    var contenders: [PathContender] { PathContender.allCases.filter { $0 != .worker || hasWorker } }

    private static let besideFloor = [
        PathTarget(.cpu, of: .statements, beside: .leanFloor, atMost: 2.0),
        PathTarget(.cpu, of: .worker, beside: .leanFloor, atMost: 2.3),
    ]

    /// The targets of the short path.
    static let all = [
        PathCase(
            product: .coins, batch: 1, targets: [PathTarget(.cpu, of: .statements, beside: .yardstick, atMost: 0.6)],
            hasWorker: false),
        PathCase(product: .coins, batch: 5, targets: [], hasWorker: false),
        PathCase(product: .coins, batch: 20, targets: [], hasWorker: false),
        PathCase(
            product: .coins, batch: 100,
            targets: [
                PathTarget(.cpu, of: .statements, beside: .yardstick, atMost: 0.62),
                PathTarget(.log, of: .statements, beside: .yardstick, atMost: 0.68),
            ] + besideFloor, hasWorker: true),
        PathCase(product: .coins, batch: 500, targets: [], hasWorker: true),
        PathCase(
            product: .map, batch: 100, targets: [PathTarget(.cpu, of: .statements, beside: .yardstick, atMost: 0.7)],
            hasWorker: true),
    ]

    /// Whether a payment has its original's row as well.
    var isKeyed: Bool { product.kind.isKeyedByOriginal }

    var title: String {
        let goods = isKeyed ? "payments with a key" : "consumables"
        return "path of \(goods) by \(batch)"
    }

    /// The costs of each contender, what they are of the yardstick's and of the floor's, and the targets.
    func measurements(of rounds: PathRounds) -> [Measurement] {
        rounds.contenders.map { line(of: $0, in: rounds) } + targets.compactMap { $0.measurement(in: rounds) }
    }

    private func line(of contender: PathContender, in rounds: PathRounds) -> Measurement {
        var figures: [Measurement.Figure] = []
        if let cpu = rounds.least(.cpu, of: contender) { figures.append(.serverCPU(cpu)) }
        if let log = rounds.least(.log, of: contender) { figures.append(.wal(log)) }
        for (other, name) in [(PathContender.yardstick, "yardstick"), (.leanFloor, "floor")] where other != contender {
            for figure in PathFigure.allCases {
                guard let ratio = rounds.ratio(figure, of: contender, to: other) else { continue }
                figures.append(.count(ratio, "of the \(name)'s \(figure.name)"))
            }
        }
        if let difference = rounds.difference(.cpu, of: contender) {
            figures.append(.count(difference * 100, "% more CPU in the middle round"))
        }
        return Measurement(contender.name, all: figures)
    }
}
