// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Glibc
import Logging
import ServiceLifecycle

/// A part of the queue's benchmark.
enum BenchPart: String, CaseIterable, Sendable, ExpressibleByArgument {
    /// The statements of a job, beside those of before the short path and beside the lean floor.
    case path
    /// The floor, and the worker with a verifier that answers at once.
    case drain
    /// A verifier that takes 300 ms.
    case calls
    /// The same with real HTTPS calls.
    case https
    /// Calls to the App Store Server API without latency, beside bare ones.
    case serverAPI = "server_api"
    /// Many workers that share one budget of calls.
    case budget
    /// Insert to fulfilled at low load.
    case pickup
    /// Apple's notifications, beside the checks of their signatures.
    case notifications
    /// Claims from a large backlog.
    case claim
}

/// What to measure, and on what.
struct QueueBenchPlan: Sendable {
    let parts: Set<BenchPart>
    let jobs: Int
    let seconds: Int
    let rounds: Int
    /// Rounds of the part that measures its contenders in turn.
    let roundsInTurn: Int
    /// Whether that part also counts what each statement does.
    let takesStatementsApart: Bool
    /// The program of an older commit, whose pickup is measured in turn.
    let olderBench: String?
    let concurrency: Int
    let backlog: Int
    let seed: UInt64
    let place: DataPlace
    let settings: [String]
}

/// Runs the parts one after the other on one server and prints what they found.
struct QueueBench: Service {
    let plan: QueueBenchPlan
    let printsJSON: Bool
    let logger: Logger

    func run() async throws {
        let settings = (plan.takesStatementsApart ? PathStatementCounts.serverSettings : []) + plan.settings
        let report = try await BenchDatabase.withDatabase(in: plan.place, settings: settings, logger: logger) { database in
            let load = Machine.load
            var sections: [Section] = []
            // The backlog comes last: it leaves the tables large.
            for part in [BenchPart.path, .drain, .calls, .https, .budget, .serverAPI, .pickup, .notifications, .claim]
            where plan.parts.contains(part) {
                Progress.say(part.rawValue)
                sections += try await measure(part, database)
                if part != .claim {
                    try await database.checkInvariants()
                }
            }
            return try await BenchReport(
                settings: plan.settings, place: plan.place, seed: plan.seed, database, loadBefore: load, sections)
        }
        print(printsJSON ? try report.json() : report.table())
    }

    private func measure(_ part: BenchPart, _ database: BenchDatabase) async throws -> [Section] {
        switch part {
        case .path: try await PathPart(plan: plan, database: database).measure()
        case .drain: try await DrainPart(plan: plan, database: database).measure()
        case .calls: try await [CallsPart(plan: plan, database: database).measure()]
        case .https: try await [HTTPSPart(plan: plan, database: database).measure()]
        case .serverAPI: try await [ServerAPIPart(plan: plan, database: database).measure()]
        case .budget: try await [BudgetPart(plan: plan, database: database).measure()]
        case .pickup: try await PickupPart(plan: plan, database: database).measure()
        case .notifications: try await NotificationsPart(plan: plan, database: database).measure()
        case .claim: try await ClaimPart(plan: plan, database: database).measure()
        }
    }
}

/// Tells a person what is being done; results go to standard output, this does not.
enum Progress {
    static func say(_ text: String) {
        let line = Array("  … \(text)\n".utf8)
        _ = write(STDERR_FILENO, line, line.count)
    }
}
