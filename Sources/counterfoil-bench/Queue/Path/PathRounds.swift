// SPDX-License-Identifier: Apache-2.0

/// Who empties a queue of the same jobs, in turn.
enum PathContender: String, CaseIterable, Sendable {
    /// The statements of before the short path, sent by pgbench.
    case yardstick
    /// The product's statements, sent in the same way.
    case statements
    /// As little as a ledger can do.
    case leanFloor
    /// The product's worker.
    case worker

    var name: String {
        switch self {
        case .yardstick: "yardstick"
        case .statements: "the product's statements"
        case .leanFloor: "lean floor"
        case .worker: "worker"
        }
    }
}

/// What a job costs the server.
enum PathFigure: Sendable, CaseIterable {
    /// Microseconds of its processors.
    case cpu
    /// Bytes of its write-ahead log.
    case log

    var name: String {
        switch self {
        case .cpu: "server CPU"
        case .log: "log"
        }
    }
}

/// What a job cost the server in one round.
struct PathCost: Sendable, Equatable {
    let cpuMicroseconds: Double
    let logBytes: Double

    subscript(figure: PathFigure) -> Double {
        switch figure {
        case .cpu: cpuMicroseconds
        case .log: logBytes
        }
    }
}

/// The costs of contenders that were measured in turn, round by round.
///
/// Whatever else runs on the machine only adds to a cost. So the least of the rounds counts, and ratios are those of the least.
/// Where the rounds of one differ much, even the least may hold something else: then nothing is concluded.
struct PathRounds: Sendable {
    /// Fewer rounds show nothing of how much they differ.
    static let fewest = 3
    /// How much the middle of the rounds may be above the least.
    static let mostDifference = 0.25

    private var costs: [PathContender: [PathCost]] = [:]

    mutating func add(_ cost: PathCost, of contender: PathContender) {
        costs[contender, default: []].append(cost)
    }

    /// Those that were measured, in the order of their names' list.
    var contenders: [PathContender] { PathContender.allCases.filter { costs[$0] != nil } }

    func count(of contender: PathContender) -> Int { costs[contender]?.count ?? 0 }

    /// Nil: it wasn't measured.
    func least(_ figure: PathFigure, of contender: PathContender) -> Double? {
        costs[contender]?.map { $0[figure] }.min()
    }

    /// The least of one as a multiple of the least of the other; nil: one of them wasn't measured, or cost nothing.
    func ratio(_ figure: PathFigure, of contender: PathContender, to other: PathContender) -> Double? {
        guard let own = least(figure, of: contender), let others = least(figure, of: other), others > 0 else { return nil }
        return own / others
    }

    /// How much the middle round is above the least, as a part of the least; nil: it wasn't measured, or cost nothing.
    func difference(_ figure: PathFigure, of contender: PathContender) -> Double? {
        guard let least = least(figure, of: contender), least > 0, let all = costs[contender] else { return nil }
        return Percentiles(all.map { $0[figure] }).median / least - 1
    }

    /// Whether the rounds of a contender agree so well that their least may be concluded from.
    func agree(_ figure: PathFigure, of contender: PathContender) -> Bool {
        guard count(of: contender) >= Self.fewest, let difference = difference(figure, of: contender) else { return false }
        return difference <= Self.mostDifference
    }
}

/// The most that something of the path may cost, as a multiple of the same of another contender.
struct PathTarget: Sendable {
    let figure: PathFigure
    let contender: PathContender
    let other: PathContender
    let bound: Double

    init(_ figure: PathFigure, of contender: PathContender, beside other: PathContender, atMost bound: Double) {
        self.figure = figure
        self.contender = contender
        self.other = other
        self.bound = bound
    }

    /// What the rounds say of it; nil: one of the two wasn't measured.
    func measurement(in rounds: PathRounds) -> Measurement? {
        guard let ratio = rounds.ratio(figure, of: contender, to: other) else { return nil }
        return Measurement(
            "  \(figure.name) of \(contender.name) / of \(other.name)", .share(ratio), atMost: bound,
            isClear: rounds.agree(figure, of: contender) && rounds.agree(figure, of: other))
    }
}
