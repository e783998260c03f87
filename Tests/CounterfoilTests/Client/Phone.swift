// SPDX-License-Identifier: Apache-2.0

import AppStoreSimulator
import FoundationEssentials
import Postgres
import TestSupport

@testable import PurchaseClient

/// A phone: carries out what the flow says, with a simulated StoreKit, and with a backend that has SQL alone. A restart loses all
/// but what StoreKit holds unfinished.
struct Phone: Sendable {
    let account: String
    /// By which the account's payments are known.
    let token: UUID
    private let shop: Shop
    private var flow = PurchaseFlow()
    /// What StoreKit holds unfinished.
    private(set) var held: [String: PurchaseFlow.Transaction] = [:]
    private(set) var finished: [String] = []
    private(set) var messages: [PurchaseFlow.Message] = []
    /// A parent is asked: StoreKit's result has no transaction.
    var asksAParent = false
    /// How many uploads in a row lose their answers.
    var lostAnswers = 0

    init(_ account: String, _ shop: Shop, token: UUID = UUID()) {
        self.account = account
        self.shop = shop
        self.token = token
    }

    mutating func buy(_ product: String = Shop.product) async throws {
        try await handle(.buy(product: product))
    }

    /// StoreKit tells of a transaction that this phone didn't buy just now.
    mutating func receive(_ transactions: SimulatedTransaction...) async throws {
        try await handle(.received(transactions.map { try keep($0) }))
    }

    /// The phone is begun anew, and may have forgotten everything.
    mutating func restart() async throws {
        flow = PurchaseFlow()
        try await handle(.received(held.values.sorted { $0.id < $1.id }))
    }

    /// Somebody pays, and StoreKit holds it.
    @discardableResult
    mutating func keep(_ transaction: SimulatedTransaction) throws -> PurchaseFlow.Transaction {
        let made = PurchaseFlow.Transaction(
            id: transaction.transactionId, productID: transaction.productId,
            token: transaction.appAccountToken?.uuidString.lowercased(),
            proof: try transaction.signedTransaction(by: shop.authority))
        held[made.id] = made
        return made
    }

    private mutating func handle(_ event: PurchaseFlow.Event) async throws {
        var actions = flow.handle(event)
        while !actions.isEmpty {
            let action = actions.removeFirst()
            if let next = try await carryOut(action) { actions += flow.handle(next) }
        }
    }

    private mutating func carryOut(_ action: PurchaseFlow.Action) async throws -> PurchaseFlow.Event? {
        switch action {
        case .place(let product):
            let order = PurchaseFlow.Order(id: UUID().uuidString, productID: product, token: token.uuidString.lowercased())
            _ = try await ask(
                "select order_id from counterfoil.place_order($1::text, $2::text, $3::text, $4::text, 1, $5::uuid)",
                [.text(order.id), .text(Shop.bundle), .text(product), .text(account), .uuid(token)])
            return .placed(order)
        case .purchase(let order):
            let paid = try keep(
                SimulatedTransaction(productId: order.productID, bundleId: Shop.bundle, appAccountToken: token))
            return .bought(order, asksAParent ? nil : paid)
        case .find(let one):
            let rows = try await ask(
                """
                select order_id from counterfoil.open_orders($1::text, $2::text)
                where app_account_token is not distinct from $3::uuid
                """,
                [.text(account), .text(one.productID), .uuid(one.token.flatMap(UUID.init(uuidString:)))])
            return .found(order: try rows.last.map { try $0.string(0) }, transaction: one.id)
        case .recover(let one):
            let id = "found-\(one.id)-\(account)"
            _ = try await ask(
                "select order_id from counterfoil.submit($1::text, $2::text, $3::text, $4::text, $5::text, recovery => true)",
                [.text(id), .text(Shop.bundle), .text(one.productID), .text(account), .text(one.proof)])
            return .made(order: id, transaction: one.id)
        case .upload(let one, let order):
            _ = try await ask(
                "select job_id from counterfoil.add_proof($1::text, $2::text, $3::text)",
                [.text(order), .text(account), .text(one.proof)])
            lostAnswers -= 1
            return lostAnswers >= 0 ? .failed(action) : .uploaded(order: order, transaction: one.id)
        case .again(let order, let one):
            let rows = try await ask(Self.orderAgain, [.text(order), .text(account), .text(one.proof), .text(one.id)])
            return try rows.first.map { .made(order: try $0.string(0), transaction: one.id) } ?? .failed(action)
        case .poll(let order): return .answered(order: order, try await answer(about: order))
        case .ask(let id):
            let rows = try await ask(
                "select client_action from counterfoil.transaction_status_of($1::text, null, $2::text, $3::text)",
                [.text(Shop.bundle), .text(id), .text(account)])
            return .answeredOf(transaction: id, try rows.first.map { Self.answer(try $0.string(0), id) })
        case .refresh(let id): return .received(held[id].map { [$0] } ?? [])
        case .finish(let id):
            held[id] = nil
            finished.append(id)
        case .show(let message): messages.append(message)
        case .remember: break
        case .later(let inner, _):
            // The phone waits for news instead of seconds.
            if case .poll(let order) = inner {
                try await shop.wait(
                    until: "(select client_action <> 'wait' from counterfoil.order_status where order_id = '\(order)')")
            }
            return try await carryOut(inner)
        }
        return nil
    }

    private func ask(_ statement: String, _ parameters: [PostgresParameter]) async throws -> PostgresResult {
        try await shop.database.withConnection(as: "counterfoil_backend") { try await $0.execute(statement, parameters) }
    }

    private func answer(about order: String) async throws -> PurchaseFlow.Answer {
        let row = try await ask(
            "select client_action, transaction_id, reason from counterfoil.order_status_of($1::text, $2::text)",
            [.text(order), .text(account)])[0]
        return Self.answer(try row.string(0), try row.optionalString(1), reason: try row.optionalString(2))
    }

    private static func answer(_ action: String, _ transaction: String?, reason: String? = nil) -> PurchaseFlow.Answer {
        switch action {
        case "finish": .finish(transaction: transaction ?? "")
        case "upload_proof": .uploadProof
        case "resend_proof": .resendProof
        case "order_again": .orderAgain
        case "contact_support": .contactSupport(reason: reason)
        default: .wait(seconds: 1)
        }
    }

    /// The statement of the page for a backend.
    private static let orderAgain = """
        select s.order_id
        from counterfoil.order_status_of($1::text, $2::text) o
        left join counterfoil.transaction_status_of(o.bundle_id, null, $4::text, o.account_id) t on t.client_action = 'order_again'
        cross join lateral (select coalesce(t.transaction_id, o.order_again_transaction_id) as id) p
        cross join lateral counterfoil.submit(
            'again-' || p.id, o.bundle_id, coalesce(t.product_id, o.order_again_product_id), o.account_id, $3::text,
            coalesce(t.quantity, o.order_again_quantity), o.app_account_token, transaction_id => p.id
        ) s
        where p.id is not null
        """
}
