// SPDX-License-Identifier: Apache-2.0

import AppStoreSimulator
import FoundationEssentials
import Postgres

extension StatusReader {
    /// What a backend is told of an order's uploads and of its account's transactions. The order's own status is another question.
    ///
    /// Empty where ``QuestionLimit`` admits no more questions now.
    ///
    /// - Parameters:
    ///   - jobs: the uploads.
    ///   - paid: the transactions, by their numbers.
    func answers(
        about purchase: Purchase, asOrder order: Int, jobs: Set<Int64>, paid: Set<Int>
    ) async throws -> [Answer] {
        guard admitsQuestion() else { return [] }
        let numbers = paid.sorted()
        let transactions = numbers.map { purchase.transactions[$0] }
        let parameters: [PostgresParameter] = [
            .int8Array(jobs.sorted()), .text(purchase.orders[order].accountID), .textArray(transactions.map(\.app.bundleID)),
            .textArray(transactions.map { $0.environment.rawValue.lowercased() }), .textArray(transactions.map(\.id)),
            .textArray(transactions.map { $0.product.type == .autoRenewable ? $0.originalID : "" }),
        ]
        let asked = Date()
        let rows = try await whileAway { () async throws(PostgresError) in
            try await pool.execute(AnswerSQL.askAnswers, parameters)
        }
        let moment = asked...max(asked, Date())
        return try rows.map { row in
            let transaction = try row.optionalString(6)
            let subject: Answer.Subject =
                switch try row.string(0) {
                case "upload": .upload(order: order, job: try row.int64(1), transaction: transaction)
                case "transaction": .transaction(numbers[Int(try row.int64(2)) - 1])
                default: .subscription(numbers[Int(try row.int64(2)) - 1])
                }
            return Answer(
                subject, state: try row.string(3), reason: try row.optionalString(4), action: try row.string(5),
                transactionID: transaction, during: moment)
        }
    }

    /// Asks again while the database is away.
    private func whileAway<Success>(_ ask: () async throws(PostgresError) -> Success) async throws -> Success {
        let deadline = ContinuousClock.now + patience
        while true {
            do throws(PostgresError) {
                return try await ask()
            } catch {
                guard error.isPassing, ContinuousClock.now < deadline else { throw error }
            }
            try await Task.sleep(for: .milliseconds(100))
        }
    }
}

extension Answer {
    /// What a poll answered.
    init(_ subject: Subject, _ outcome: Outcome, during moment: ClosedRange<Date>) {
        self.init(
            subject, state: outcome.state, reason: outcome.reason, action: outcome.clientAction,
            transactionID: outcome.transactionID, during: moment)
    }
}
