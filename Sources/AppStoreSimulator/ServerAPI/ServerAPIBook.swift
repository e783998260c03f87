// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Synchronization

/// What the simulated App Store Server API knows: apps, and the transactions of their customers.
final class ServerAPIBook: Sendable {
    /// An app, as far as this API cares.
    struct App: Sendable {
        var account = AppStoreSimulator.mainAccount
        /// Apple's number of the app.
        var appleID: Int64 = 1_234_567_890
        /// Production refuses everything about an app that was never released.
        var isReleased = true
        /// Where notifications go; nil when nobody has said so.
        var notificationURL: String?
    }

    /// Whose transactions a call may see.
    struct Scope: Sendable {
        var bundleID: String
        var environment: SimulatedEnvironment

        func covers(_ transaction: SimulatedTransaction) -> Bool {
            transaction.bundleId == bundleID && transaction.environment == environment
        }
    }

    private struct State {
        var apps: [String: App] = [:]
        var records: [String: TransactionRecord] = [:]
        /// Customer → ids of transactions.
        var idsByCustomer: [String: [String]] = [:]
        /// Original id → ids of transactions.
        var idsByOriginal: [String: [String]] = [:]
        /// Number on Apple's mail → ids of transactions.
        var idsByOrder: [String: [String]] = [:]
        var changes = 0
        /// Positions in histories that were handed out under another number aren't taken any more.
        var positionGeneration = 0

        mutating func nextChange() -> Int {
            changes += 1
            return changes
        }

        mutating func add(_ transaction: SimulatedTransaction) {
            let change = nextChange()
            let id = transaction.transactionId
            guard let known = records[id] else {
                records[id] = TransactionRecord(transaction, change: change)
                idsByCustomer[records[id]?.customer ?? id, default: []].append(id)
                idsByOriginal[transaction.originalTransactionId, default: []].append(id)
                return
            }
            records[id]?.transaction = transaction
            records[id]?.change = change
            guard let customer = records[id]?.customer, customer != known.customer else { return }
            idsByCustomer[known.customer]?.removeAll { $0 == id }
            idsByCustomer[customer, default: []].append(id)
        }

        /// Counts a call about a transaction.
        mutating func countCall(about id: String, in scope: Scope, at now: Date) -> TransactionRecord? {
            guard var record = records[id], scope.covers(record.transaction) else { return nil }
            if record.countCall(at: now) { record.change = nextChange() }
            records[id] = record
            return record
        }
    }

    private let state = Mutex(State())

    func register(_ app: App, bundleID: String) {
        state.withLock { $0.apps[bundleID] = app }
    }

    /// The app; one that was never registered is the main account's, and released.
    func app(bundleID: String) -> App {
        state.withLock { $0.apps[bundleID] ?? App() }
    }

    /// Adds transactions, or replaces those with the same id; what was programmed for those stays.
    func remember(_ transactions: [SimulatedTransaction]) {
        state.withLock { state in
            for transaction in transactions { state.add(transaction) }
        }
    }

    /// Replaces a transaction's program; false when there is no such transaction.
    func setProgram(_ program: TransactionProgram, forTransaction id: String) -> Bool {
        state.withLock { state in
            state.records[id]?.setProgram(program)
            return state.records[id] != nil
        }
    }

    /// A transaction as it is now, whether it has arrived or not.
    func transaction(id: String) -> SimulatedTransaction? {
        state.withLock { $0.records[id]?.transaction }
    }

    /// The transactions of an original id as they are now, those left out that aren't there yet. No call is counted.
    func transactions(originalID: String, in scope: Scope) -> [SimulatedTransaction] {
        state.withLock { state in
            (state.idsByOriginal[originalID] ?? []).compactMap { state.records[$0] }
                .filter { $0.isVisible && scope.covers($0.transaction) }
                .map(\.transaction)
        }
    }

    /// The original ids of the subscriptions to a product, as far as their transactions name it.
    func subscriptions(to productID: String, in scope: Scope) -> [String] {
        state.withLock { state in
            let originals = state.records.values.map(\.transaction).filter { transaction in
                transaction.type == .autoRenewable && transaction.productId == productID && scope.covers(transaction)
            }
            return Set(originals.map(\.originalTransactionId)).sorted()
        }
    }

    /// What is kept of a transaction after a call about it was counted; nil when the call may not see it.
    func countCall(aboutTransaction id: String, in scope: Scope, at now: Date) -> TransactionRecord? {
        state.withLock { $0.countCall(about: id, in: scope, at: now) }
    }

    /// What is kept of the transactions of a customer after a call about each was counted, those left out that aren't
    /// there yet; nil when the id is of none that the call may see.
    ///
    /// - Parameter id: a transaction's, an original transaction's, or the customer's.
    func countCall(aboutCustomerOf id: String, in scope: Scope, at now: Date) -> [TransactionRecord]? {
        state.withLock { state in
            guard let customer = state.records[id]?.customer ?? (state.idsByCustomer[id] == nil ? nil : id) else {
                return nil
            }
            let all = (state.idsByCustomer[customer] ?? []).compactMap {
                state.countCall(about: $0, in: scope, at: now)
            }
            let visible = all.filter(\.isVisible)
            guard visible.contains(where: { $0.transaction.transactionId == id || $0.customer == id }) else {
                return nil
            }
            return visible
        }
    }

    /// Whether an id is that of a customer, and not of a transaction.
    func isAppTransactionID(_ id: String) -> Bool {
        state.withLock { $0.records[id] == nil && $0.idsByCustomer[id] != nil }
    }

    /// Writes down which transactions an order on Apple's mail was for.
    func setOrder(_ orderID: String, transactions ids: [String]) {
        state.withLock { $0.idsByOrder[orderID] = ids }
    }

    /// What is kept of an order's transactions after a call about each was counted; nil when there is no such order that
    /// the call may see.
    func countCall(aboutOrder orderID: String, in scope: Scope, at now: Date) -> [TransactionRecord]? {
        state.withLock { state in
            let records = (state.idsByOrder[orderID] ?? []).compactMap {
                state.countCall(about: $0, in: scope, at: now)
            }
            return records.isEmpty ? nil : records.filter(\.isVisible)
        }
    }

    /// Marks a transaction finished.
    func finish(_ id: String) {
        state.withLock { $0.records[id]?.isFinished = true }
    }

    /// Ids of the transactions that were finished through the API.
    var finishedTransactions: Set<String> {
        state.withLock { Set($0.records.filter(\.value.isFinished).keys) }
    }

    /// Under which number positions in histories are handed out now.
    var positionGeneration: Int {
        state.withLock { $0.positionGeneration }
    }

    /// Makes positions in histories that were handed out before be refused.
    func forgetPositions() {
        state.withLock { $0.positionGeneration += 1 }
    }
}
