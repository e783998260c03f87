// SPDX-License-Identifier: Apache-2.0

@testable import PurchaseClient

/// A store, a backend and a phone, each with moods that a seed draws.
struct RandomWorld {
    private struct Dice: RandomNumberGenerator {
        var state: UInt64

        mutating func next() -> UInt64 {
            state &+= 0x9E37_79B9_7F4A_7C15
            var mixed = state
            mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
            mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
            return mixed ^ (mixed >> 31)
        }
    }

    private static let moody = 300
    private static let longest = 5000

    private var dice: Dice
    private var flow = PurchaseFlow()
    private var remembered: [PurchaseFlow.Order] = []
    private var pending: [PurchaseFlow.Action] = []
    private var steps = 0
    private var orders = 0
    /// What the store holds unfinished, by id.
    private var store: [String: PurchaseFlow.Transaction] = [:]
    /// The order for which a transaction's proof came last.
    private var uploads: [String: Set<String>] = [:]
    /// The orders that the backend granted a transaction.
    private var granted: [String: String] = [:]
    /// Which transactions the backend said to finish.
    private var named: Set<String> = []

    private(set) var paid: Set<String> = []
    private(set) var finished: Set<String> = []
    private(set) var wrong: [String] = []

    init(seed: UInt64) {
        dice = Dice(state: seed)
    }

    /// After a while everybody is in a good mood: then all comes to an end.
    mutating func play() {
        for product in ["coins", "coins", "gems"] { take([.place(product: product)]) }
        while steps < Self.longest {
            steps += 1
            if isMoody, oneIn(10) { arrive() }
            if isMoody ? oneIn(25) : steps % 500 == 0 { restart() }
            guard !pending.isEmpty else {
                if !isMoody, store.isEmpty { return }
                continue
            }
            act(pending.remove(at: Int.random(in: pending.indices, using: &dice)))
        }
    }

    private var isMoody: Bool { steps < Self.moody }

    private mutating func oneIn(_ n: Int) -> Bool { Int.random(in: 0..<n, using: &dice) == 0 }

    /// The store tells of a renewal, or of a purchase that was made elsewhere.
    private mutating func arrive() {
        pay("coins", token: oneIn(2) ? nil : "token-\(orders)").map { take(.received([$0])) }
    }

    private mutating func restart() {
        if oneIn(3) { remembered = [] }
        flow = PurchaseFlow(remembering: remembered)
        pending = []
        take(.received(store.values.sorted { $0.id < $1.id }))
    }

    private mutating func pay(_ product: String, token: String?) -> PurchaseFlow.Transaction? {
        let id = "\(paid.count + 1)"
        let made = PurchaseFlow.Transaction(id: id, productID: product, token: token, proof: "jws " + id)
        paid.insert(id)
        store[id] = made
        return made
    }

    private mutating func take(_ event: PurchaseFlow.Event) {
        // An answer may be lost on its way, and what it would have led to.
        take(flow.handle(event))
    }

    private mutating func take(_ actions: [PurchaseFlow.Action]) { pending += actions }

    private mutating func act(_ action: PurchaseFlow.Action) {
        if case .later(let inner, let seconds) = action {
            if !(1...60).contains(seconds) { wrong.append("\(seconds) seconds") }
            return pending.append(inner)
        }
        switch action {
        case .finish(let id):
            if !named.contains(id) { wrong.append("finished \(id) unasked") }
            store[id] = nil
            finished.insert(id)
        case .remember(let orders): remembered = orders
        case .show, .later: break
        default:
            guard !(isMoody && oneIn(5)) else { return take(.failed(action)) }
            call(action)
        }
    }

    private mutating func call(_ action: PurchaseFlow.Action) {
        switch action {
        case .place(let product):
            orders += 1
            take(.placed(PurchaseFlow.Order(id: "o\(orders)", productID: product, token: oneIn(2) ? "token-\(orders)" : nil)))
        case .purchase(let order):
            if isMoody, oneIn(4) { return take(.cancelled(order)) }
            let made = pay(order.productID, token: order.token)
            take(.bought(order, oneIn(3) ? nil : made))
        case .find(let transaction): take(.found(order: oneIn(2) ? "open" : nil, transaction: transaction.id))
        case .recover(let transaction): make("found-" + transaction.id, transaction)
        // The order that failed, or that another payment took, names the one that follows it.
        case .again(let order, let transaction): make("again-\(order)-\(transaction.id)", transaction)
        case .upload(let transaction, let order):
            uploads[order, default: []].insert(transaction.id)
            if oneIn(2), let other = store.keys.sorted().randomElement(using: &dice) { uploads[order, default: []].insert(other) }
            take(.uploaded(order: order, transaction: transaction.id))
        case .poll(let order): take(.answered(order: order, answer(about: order)))
        case .ask(let id): take(.answeredOf(transaction: id, answer(of: id)))
        case .refresh(let id): take(.received(store[id].map { [$0] } ?? []))
        case .finish, .remember, .show, .later: break
        }
    }

    private mutating func make(_ order: String, _ transaction: PurchaseFlow.Transaction) {
        uploads[order, default: []].insert(transaction.id)
        take(.made(order: order, transaction: transaction.id))
    }

    private mutating func answer(about order: String) -> PurchaseFlow.Answer {
        let mood = isMoody ? Int.random(in: 0..<8, using: &dice) : 7
        switch mood {
        case 0: return .wait(seconds: 1)
        case 1: return .uploadProof
        case 2: return .resendProof
        case 3: return .orderAgain
        case 4: return .contactSupport(reason: "owner_mismatch")
        default:
            // The first that was shown and that no other order has.
            let candidates = uploads[order, default: []].filter { granted[$0, default: order] == order }.sorted()
            guard let id = granted.filter({ $0.value == order }).keys.min() ?? candidates.first else { return .uploadProof }
            granted[id] = order
            named.insert(id)
            return .finish(transaction: id)
        }
    }

    private mutating func answer(of id: String) -> PurchaseFlow.Answer? {
        if granted[id] != nil {
            named.insert(id)
            return .finish(transaction: id)
        }
        return isMoody && oneIn(3) ? nil : oneIn(2) ? .orderAgain : .uploadProof
    }
}
