// SPDX-License-Identifier: Apache-2.0

/// What a client of StoreKit 2 does with each purchase: copy this file into the app, and carry out the actions (README.md).
///
/// It takes what happened, and returns what to do: no call, no clock, no StoreKit. A transaction is finished only when the backend
/// has said so of this very transaction. Until then StoreKit keeps it, and a flow that begins anew takes it up again: nothing else
/// has to be stored. Orders may be remembered, which saves a question after a restart.
struct PurchaseFlow {
    /// A transaction that StoreKit holds unfinished, or that it has just told of.
    struct Transaction: Hashable, Sendable {
        var id: String
        var productID: String
        /// `appAccountToken`, as the app gave it to StoreKit.
        var token: String?
        /// `VerificationResult.jwsRepresentation`, as it is: the backend judges it.
        var proof: String
    }

    /// An order that the backend made for this device.
    struct Order: Hashable, Codable, Sendable {
        var id: String
        var productID: String
        var token: String?
    }

    /// What the backend answers about an order or a transaction: `client_action`.
    enum Answer: Equatable, Sendable {
        /// - Parameter seconds: until another poll may find news (`next_attempt_at`).
        case wait(seconds: Int)
        case finish(transaction: String)
        case uploadProof
        case resendProof
        case orderAgain
        case contactSupport(reason: String?)
    }

    enum Event: Equatable, Sendable {
        /// The customer wants to buy.
        case buy(product: String)
        case placed(Order)
        /// StoreKit's result of ``Action/purchase(_:)``; without a transaction the purchase waits, for a parent for example.
        case bought(Order, Transaction?)
        case cancelled(Order)
        /// `Transaction.unfinished` at each start, and whatever comes by `Transaction.updates`.
        case received([Transaction])
        /// The account's open order that a transaction may be for; nil: there is none.
        case found(order: String?, transaction: String)
        /// The backend made an order with this proof: ``Action/recover(_:)``, ``Action/again(order:_:)``.
        case made(order: String, transaction: String)
        case uploaded(order: String, transaction: String)
        case answered(order: String, Answer)
        /// Nil: the backend doesn't know the transaction yet.
        case answeredOf(transaction: String, Answer?)
        /// The call of an action failed, or its answer was lost.
        case failed(Action)
    }

    enum Message: Equatable, Sendable {
        case bought(Order)
        case notBought(product: String)
        /// A person decides; the app asks again at its next start.
        case contactSupport(order: String, reason: String?)
    }

    indirect enum Action: Equatable, Sendable {
        /// The backend makes an order, and a token.
        case place(product: String)
        /// `Product.purchase(options: [.appAccountToken(token)])`.
        case purchase(Order)
        /// The backend looks for an open order of the account, by product and token.
        case find(Transaction)
        /// The backend makes an order for a payment that came first, with its proof.
        case recover(Transaction)
        case upload(Transaction, order: String)
        case poll(order: String)
        case ask(transaction: String)
        /// The backend makes the order that `order_again` names, with the same proof.
        case again(order: String, Transaction)
        /// The transaction as StoreKit has it now comes by ``Event/received(_:)``.
        case refresh(transaction: String)
        /// `Transaction.finish()`, of this one and of no other.
        case finish(transaction: String)
        /// Orders to begin with after a restart, in place of those before.
        case remember([Order])
        case show(Message)
        case later(Action, seconds: Int)
    }

    /// Where a transaction is that isn't finished.
    fileprivate enum Phase: Equatable {
        case finding
        case making
        case uploading(order: String)
        case polling(order: String)
        /// The order's answer is about another transaction.
        case asking(order: String)
        /// A newer proof is to be uploaded.
        case refreshing(order: String)
        /// Until the next start.
        case left
    }

    fileprivate struct Held {
        var transaction: Transaction
        var phase: Phase
        var refreshes = 0
        var asks = 0
    }

    private static let longestPause = 60
    private static let mostRefreshes = 3

    private var orders: [Order]
    private var held: [String: Held] = [:]
    private var finished: Set<String> = []
    /// Calls that failed in a row.
    private var failures = 0

    /// - Parameter orders: what ``Action/remember(_:)`` named last; nothing after a reinstall.
    init(remembering orders: [Order] = []) {
        self.orders = orders
    }

    /// The transactions that aren't finished.
    var unfinished: [Transaction] { held.values.map(\.transaction).sorted { $0.id < $1.id } }

    /// Takes what happened, and returns what to do, in this order.
    mutating func handle(_ event: Event) -> [Action] {
        if case .failed(let action) = event { return retry(action) }
        failures = 0
        switch event {
        case .buy(let product): return [.place(product: product)]
        case .placed(let order):
            orders.append(order)
            return [.remember(orders), .purchase(order)]
        case .bought(let order, let transaction): return transaction.map { take($0, for: order.id) } ?? []
        case .cancelled(let order): return forget { $0 == order }
        case .received(let transactions): return transactions.flatMap { take($0, for: nil) }
        case .found(let order, let id): return move(id, from: .finding) { $0.found(order) }
        case .made(let order, let id): return move(id, from: .making) { $0.poll(order) }
        case .uploaded(let order, let id): return move(id, from: .uploading(order: order)) { $0.poll(order) }
        case .answered(let order, let answer): return obey(answer, about: order)
        case .answeredOf(let id, let answer): return obey(answer, of: id)
        case .failed: return []
        }
    }

    /// A transaction comes: for the first time, once more, or with a newer proof.
    private mutating func take(_ transaction: Transaction, for order: String?) -> [Action] {
        guard !finished.contains(transaction.id) else { return [.finish(transaction: transaction.id)] }
        if let known = held[transaction.id] {
            held[transaction.id]?.transaction = transaction
            guard case .refreshing(let order) = known.phase else { return [] }
            held[transaction.id]?.phase = .uploading(order: order)
            return [.upload(transaction, order: order)]
        }
        let own = order ?? orders.last { $0.productID == transaction.productID && $0.token == transaction.token }?.id
        held[transaction.id] = Held(transaction: transaction, phase: own.map(Phase.uploading) ?? .finding)
        return own.map { [.upload(transaction, order: $0)] } ?? [.find(transaction)]
    }

    private mutating func move(_ id: String, from phase: Phase, _ step: (inout Held) -> [Action]) -> [Action] {
        guard var one = held[id], one.phase == phase else { return [] }
        defer { held[id] = one }
        return step(&one)
    }

    /// The transactions that wait for an answer about an order.
    private func waiting(for order: String) -> [String] {
        held.filter { $0.value.phase == .polling(order: order) }.keys.sorted()
    }

    private mutating func obey(_ answer: Answer, about order: String) -> [Action] {
        let waiting = waiting(for: order)
        guard !waiting.isEmpty else { return [] }
        switch answer {
        case .wait(let seconds): return [.later(.poll(order: order), seconds: min(max(seconds, 1), Self.longestPause))]
        case .finish(let id):
            let own = orders.first { $0.id == order }
            return finish(id) + forget { $0.id == order } + (own.map { [.show(.bought($0))] } ?? [])
                + waiting.filter { $0 != id }.flatMap { ask($0, order) }
        case .uploadProof: return waiting.flatMap { ask($0, order) }
        case .resendProof: return waiting.flatMap { refresh($0, order) }
        case .orderAgain:
            return forget { $0.id == order }
                + waiting.flatMap { id in move(id, from: .polling(order: order)) { $0.again(order) } }
        case .contactSupport(let reason): return waiting.flatMap { leave($0, order, reason) }
        }
    }

    private mutating func obey(_ answer: Answer?, of id: String) -> [Action] {
        guard let one = held[id], case .asking(let order) = one.phase else { return [] }
        switch answer {
        case .finish(let named) where named == id: return finish(id)
        case nil, .wait, .resendProof, .finish:
            held[id]?.asks += 1
            return [.later(.ask(transaction: id), seconds: pause(one.asks))]
        case .orderAgain: return move(id, from: one.phase) { $0.again(order) }
        case .uploadProof: return move(id, from: one.phase) { $0.recover() }
        case .contactSupport(let reason): return leave(id, order, reason)
        }
    }

    private mutating func ask(_ id: String, _ order: String) -> [Action] {
        held[id]?.phase = .asking(order: order)
        return [.ask(transaction: id)]
    }

    private mutating func refresh(_ id: String, _ order: String) -> [Action] {
        guard let refreshes = held[id]?.refreshes, refreshes < Self.mostRefreshes else { return leave(id, order, nil) }
        held[id]?.refreshes += 1
        held[id]?.phase = .refreshing(order: order)
        return [.later(.refresh(transaction: id), seconds: pause(refreshes))]
    }

    private mutating func leave(_ id: String, _ order: String, _ reason: String?) -> [Action] {
        held[id]?.phase = .left
        return [.show(.contactSupport(order: order, reason: reason))]
    }

    /// The only place that finishes. A transaction that isn't here is another device's.
    private mutating func finish(_ id: String) -> [Action] {
        guard held.removeValue(forKey: id) != nil else { return [] }
        finished.insert(id)
        return [.finish(transaction: id)]
    }

    private mutating func forget(_ isOver: (Order) -> Bool) -> [Action] {
        let before = orders.count
        orders.removeAll(where: isOver)
        return orders.count == before ? [] : [.remember(orders)]
    }

    /// What the customer began is hers to repeat; all else is tried again, as every call may be.
    private mutating func retry(_ action: Action) -> [Action] {
        switch action {
        case .place(let product): return [.show(.notBought(product: product))]
        case .purchase(let order): return forget { $0 == order } + [.show(.notBought(product: order.productID))]
        case .remember, .show: return []
        case .later(let inner, _): return retry(inner)
        case .find, .recover, .upload, .poll, .ask, .again, .refresh, .finish:
            defer { failures += 1 }
            return [.later(action, seconds: pause(failures))]
        }
    }

    /// 1, 2, 4 … 60 seconds.
    private func pause(_ times: Int) -> Int { min(1 << min(times, 6), Self.longestPause) }
}

extension PurchaseFlow.Held {
    mutating func found(_ order: String?) -> [PurchaseFlow.Action] {
        guard let order else { return recover() }
        phase = .uploading(order: order)
        return [.upload(transaction, order: order)]
    }

    mutating func recover() -> [PurchaseFlow.Action] {
        phase = .making
        return [.recover(transaction)]
    }

    mutating func again(_ order: String) -> [PurchaseFlow.Action] {
        phase = .making
        return [.again(order: order, transaction)]
    }

    mutating func poll(_ order: String) -> [PurchaseFlow.Action] {
        phase = .polling(order: order)
        return [.poll(order: order)]
    }
}
