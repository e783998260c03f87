// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Synchronization

/// What the simulator knows beyond the bytes that it is shown: apps, programs of receipts, transactions.
final class ReceiptBook: Sendable {
    /// An app in the simulated store.
    struct App: Sendable {
        var appleID: Int64
        /// Nil: the app has none, and none is asked for.
        var sharedSecret: String?
        /// Whether the secret is asked for without a subscription in the receipt, too.
        var insistsOnSharedSecret: Bool
    }

    private struct State {
        var apps: [String: App] = [:]
        var programs: [ReceiptID: ReceiptProgram] = [:]
        /// Answered calls of receipts that have a program.
        var calls: [ReceiptID: Int] = [:]
        var transactions: [String: SimulatedTransaction] = [:]
        var idsByOriginal: [String: [String]] = [:]
    }

    private let state = Mutex(State())

    func register(_ app: App, bundleID: String) {
        state.withLock { $0.apps[bundleID] = app }
    }

    func app(bundleID: String) -> App? {
        state.withLock { $0.apps[bundleID] }
    }

    /// Replaces a receipt's program and counts its calls from the beginning.
    func setProgram(_ program: ReceiptProgram, for receipt: ReceiptID) {
        state.withLock { state in
            state.programs[receipt] = program
            state.calls[receipt] = 0
        }
    }

    func program(for receipt: ReceiptID) -> ReceiptProgram? {
        state.withLock { $0.programs[receipt] }
    }

    /// Counts a call that is answered from the receipt's content, and gives its number from 1; always 1 for a receipt
    /// without a program.
    func countAnswer(about receipt: ReceiptID) -> Int {
        state.withLock { state in
            guard let calls = state.calls[receipt] else { return 1 }
            state.calls[receipt] = calls + 1
            return calls + 1
        }
    }

    /// Adds transactions, or replaces those with the same id.
    func remember(_ transactions: [SimulatedTransaction]) {
        state.withLock { state in
            for transaction in transactions {
                let known = state.transactions.updateValue(transaction, forKey: transaction.transactionId)
                if known == nil {
                    state.idsByOriginal[transaction.originalTransactionId, default: []].append(
                        transaction.transactionId)
                }
            }
        }
    }

    /// The remembered transaction with this id, if it is of that app and environment.
    func transaction(id: String, bundleID: String, environment: SimulatedEnvironment) -> SimulatedTransaction? {
        state.withLock { state in
            state.transactions[id].flatMap { $0.bundleId == bundleID && $0.environment == environment ? $0 : nil }
        }
    }

    /// The remembered transactions with this original id, if they are of that app and environment.
    func transactions(
        originalID: String, bundleID: String, environment: SimulatedEnvironment
    ) -> [SimulatedTransaction] {
        state.withLock { state in
            (state.idsByOriginal[originalID] ?? []).compactMap { state.transactions[$0] }
                .filter { $0.bundleId == bundleID && $0.environment == environment }
        }
    }
}
