// SPDX-License-Identifier: Apache-2.0

import Postgres
import PrivatePostgres

/// What one poll of a fulfilled order costs the server, by what is asked and how it is sent. Each round tries all ways, and
/// compares them with the view as a prepared statement.
struct PollCosts {
    /// Of a function's poll, as a multiple of the prepared view's.
    private static let most = 1.5

    let plan: PurchaseBenchPlan
    let database: BenchDatabase

    private struct Way: Hashable {
        enum Question: String { case view, function, nothing }

        let question: Question
        let mode: Pgbench.Mode
        var isPooled = false
        var connectsAnew = false

        static let preparedView = Way(question: .view, mode: .prepared)

        static let direct =
            [Question.view, .function].flatMap { question in
                [Pgbench.Mode.prepared, .extended, .simple].map { Way(question: question, mode: $0) }
            } + [Question.function, .nothing].map { Way(question: $0, mode: .extended, connectsAnew: true) }

        static let pooled = [
            Way(question: .view, mode: .extended, isPooled: true), Way(question: .function, mode: .extended, isPooled: true),
            Way(question: .function, mode: .simple, isPooled: true),
            Way(question: .function, mode: .extended, isPooled: true, connectsAnew: true),
        ]

        var name: String {
            let sent =
                switch mode {
                case .prepared: "prepared"
                case .extended: "not prepared"
                case .simple: "simple protocol"
                }
            return "\(question), \(sent)" + (isPooled ? ", through PgBouncer" : "")
                + (connectsAnew ? ", a connection for each poll" : "")
        }

        /// Whether each call plans the view.
        var isDear: Bool { question == .view && mode != .prepared || connectsAnew && !isPooled }

        /// A poll of one order of an account. Both are parameters, or stand in the text as a driver writes them.
        var script: String {
            let order = mode == .simple ? "':order'" : ":order"
            let account = mode == .simple ? "':account'" : ":account"
            let source =
                switch question {
                case .view: "counterfoil.order_status where order_id = \(order) and account_id = \(account)"
                case .function: "counterfoil.order_status_of(\(order), \(account))"
                // What a connection costs.
                case .nothing: "(select 'open', '', 'wait', '') as s (state, reason, client_action, transaction_id)"
                }
            return "select state, reason, client_action, transaction_id from \(source);\n"
        }
    }

    func measure() async throws -> Section {
        try await database.settle()
        guard Pooler.isInstalled else {
            Progress.say("PgBouncer isn't installed: no poll goes through it")
            return try await measure(Way.direct, nil)
        }
        return try await Pooler.withPooler(
            before: database.server, at: database.server.socketFolder, database: "postgres", user: "counterfoil_backend"
        ) { try await measure(Way.direct + Way.pooled, $0) }
    }

    private func measure(_ ways: [Way], _ pooler: Pooler?) async throws -> Section {
        var costs: [Way: [Double]] = [:]
        for round in 1...plan.rounds {
            Progress.say("polls, round \(round) of \(plan.rounds)")
            for way in ways { costs[way, default: []].append(try await microseconds(way, pooler)) }
        }
        guard let yardstick = costs[.preparedView] else { preconditionFailure("the prepared view is one of the ways") }
        return Section(
            "polls: server CPU of one, of a fulfilled order, middle of \(plan.rounds)",
            ways.map { way in
                let cost = Percentiles(costs[way, default: []]).median
                let ratio = Percentiles(zip(costs[way, default: []], yardstick).map { $0 / $1 }).median
                let figures = [
                    Measurement.Figure.count(ratio, "× the prepared view"), .count(cost, "µs server CPU"),
                ]
                return way.question == .function && !way.connectsAnew
                    ? Measurement(way.name, figures[0], figures[1], below: Self.most)
                    : Measurement(way.name, all: figures)
            })
    }

    private func microseconds(_ way: Way, _ pooler: Pooler?) async throws -> Double {
        let polls = way.isDear ? max(100, plan.polls / 10) : plan.polls
        var target = Pgbench.Target(
            host: database.server.socketFolder, port: database.server.port, user: "counterfoil_backend",
            connectsAnew: way.connectsAnew)
        if way.isPooled, let pooler {
            target.host = "127.0.0.1"
            target.port = pooler.port
        }
        let order = try await database.pool.execute(BenchStatement.chooseFulfilledOrder)[0]
        let variables = ["order": try order.string(0), "account": try order.string(1)]
        func poll(times: Int) async throws {
            _ = try await Pgbench(server: database.server).run(
                way.script, clients: 1, mode: way.mode, transactions: times, variables: variables, at: target)
        }
        // The pooler's session plans in its first calls.
        if way.isPooled { try await poll(times: 20) }
        let before = database.processes.cpuSeconds
        try await poll(times: polls)
        return (database.processes.cpuSeconds - before) * 1e6 / Double(polls)
    }
}
