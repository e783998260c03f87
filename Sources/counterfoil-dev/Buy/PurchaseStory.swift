// SPDX-License-Identifier: Apache-2.0

import AppStoreSimulator
import CommandSupport
import EventSources
import Postgres
import Rehearsal

/// A purchase and its refund as a backend sees them: each statement that it sends, and each answer.
struct PurchaseStory: Sendable {
    private static let patience = Duration.seconds(30)
    private static let account = "ann"

    private let product: ShopProduct
    private let backend: PostgresConnection
    private let store: SimulatorControl
    private let order = "buy-" + String(Int.random(in: 0x10_0000...0xFF_FFFF), radix: 16)

    /// - Parameters:
    ///   - backend: a connection as counterfoil_backend.
    ///   - store: where the customer pays.
    init(product: ShopProduct, backend: PostgresConnection, store: SimulatorControl) {
        self.product = product
        self.backend = backend
        self.store = store
    }

    func play() async throws {
        do {
            let cursor = try await backend.execute(RehearsalSQL.beginChanges)[0].string(0)
            let purchase = try await buy()
            try await poll()
            try await refund(purchase)
            try await readFeed(from: cursor)
        } catch let error as DeadlinePassed {
            throw CommandFailure(.temporaryFailure, "\(error): see the logs of the workers, which up has named")
        }
    }

    private func buy() async throws -> SimulatorControl.Purchase {
        let bundle = ShopApp.puzzle.bundleID
        try await send(RehearsalSQL.buyProduct, [order, bundle, product.productID, Self.account])
        answer("the order is there, and \(Self.account) pays")
        let purchase = try await store.buy(product.productID, type: product.type, bundleID: bundle)
        try await send(RehearsalSQL.uploadProof, [order], hidden: purchase.signedTransaction)
        answer(
            "$1 is transaction \(purchase.transactionID) as Apple signed it, \(purchase.signedTransaction.utf8.count) characters")
        return purchase
    }

    private func poll() async throws {
        let began = ContinuousClock.now
        show(RehearsalSQL.pollOrder, [order, Self.account])
        let row = try await before(.now + Self.patience, waitingFor: "the payment") {
            while true {
                let row = try await backend.execute(RehearsalSQL.pollOrder, [.text(order), .text(Self.account)])[0]
                if try row.string(1) != "wait" { return row }
                try await Task.sleep(for: .milliseconds(10))
            }
        }
        let state = try row.string(0)
        let milliseconds = began.duration(to: .now) / .milliseconds(1)
        answer("\(state) | \(try row.string(1))   after \(Int(milliseconds.rounded())) ms")
        guard state == "fulfilled" else {
            throw CommandFailure(.failure, "the order is \(state): see counterfoil orders show \(order)")
        }
    }

    private func refund(_ purchase: SimulatorControl.Purchase) async throws {
        let body = try await store.refund(purchase)
        let rows = try await send(RehearsalSQL.receiveNotification, [], hidden: body)
        answer("\(try rows[0].string(0))   Apple refunds; $1 is the body that it sends to your address")
    }

    /// Shows what the feed has of the order, from before the purchase to the refund.
    private func readFeed(from cursor: String) async throws {
        show(RehearsalSQL.readChanges, [], hides: true)
        let rows = try await before(.now + Self.patience, waitingFor: "the refund") {
            while true {
                let rows = try await backend.execute(RehearsalSQL.readChanges, [.text(cursor)])
                let own = try rows.filter { try $0.optionalString(1) == order }
                if try own.contains(where: { try $0.string(0) == "order_refunded" }) { return own }
                try await Task.sleep(for: .milliseconds(10))
            }
        }
        for row in rows {
            answer([try row.string(0), order, row.textDescription(2)].compactMap(\.self).joined(separator: " | "))
        }
    }

    // MARK: Statements

    /// - Parameter hidden: a last parameter that is too long to be shown.
    @discardableResult
    private func send(
        _ statement: PostgresStatement, _ values: [String], hidden: String? = nil
    ) async throws -> PostgresResult {
        show(statement, values, hides: hidden != nil)
        return try await backend.execute(statement, (values + [hidden].compactMap(\.self)).map { .text($0) })
    }

    private func show(_ statement: PostgresStatement, _ values: [String], hides: Bool = false) {
        Console.print(Self.text(of: statement, values, hides: hides))
    }

    private func answer(_ text: String) {
        Console.print("  => " + text)
    }

    /// A statement with its parameters written into it, as nobody should send it. One that is hidden is `$1`.
    static func text(of statement: PostgresStatement, _ values: [String], hides: Bool) -> String {
        var text = statement.sql.split(separator: "\n").filter { !$0.hasPrefix("--") }.joined(separator: "\n")
        for (index, value) in values.enumerated() {
            text = text.replacing("$\(index + 1)::text", with: "'\(value)'")
        }
        return hides ? text.replacing("$\(values.count + 1)::text", with: "$1") : text
    }
}
