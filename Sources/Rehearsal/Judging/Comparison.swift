// SPDX-License-Identifier: Apache-2.0

import Verification

/// Sets what came about against the plan: every order, every transaction, and nothing besides.
package struct Comparison: Sendable {
    private let plan: PurchasePlan
    let observation: Observation
    private let allowsWaiting: Bool

    /// - Parameter allowsWaiting: whether clients may have to wait at any time: a backend that lost its connection sends a job
    ///   again.
    package init(_ plan: PurchasePlan, _ observation: Observation, allowsWaiting: Bool = false) {
        self.plan = plan
        self.observation = observation
        self.allowsWaiting = allowsWaiting
    }

    /// Everything that differs; empty when all is as planned.
    package var differences: [Difference] {
        plan.purchases.flatMap(differences) + unplanned
    }

    private func differences(of purchase: Purchase) -> [Difference] {
        var found = purchase.expectations.flatMap { compare($0, purchase) }
        for transaction in purchase.transactions { found += compare(transaction, purchase) }
        found += purchase.orders.indices.compactMap { compareWay(ofOrder: $0, purchase) }
        found += compareLives(of: purchase) + compareFeed(of: purchase)
        let record = observation.records[purchase.number]
        for refused in purchase.refusals {
            let got = record?.refusals[refused] ?? nil
            if got != refused.constraint {
                found.append(
                    Difference(
                        kind: purchase.kind, subject: "an insert", expected: "refused(\(refused.constraint))",
                        got: got.map { "refused(\($0))" } ?? "taken"))
            }
        }
        for trouble in record?.troubles ?? ["it was never played"] {
            found.append(
                Difference(
                    kind: purchase.kind, subject: "purchase \(purchase.number)", expected: "no trouble", got: trouble))
        }
        return found
    }

    /// Orders that race for the same payments are compared together: each outcome must come about once.
    private func compare(_ expectation: Expectation, _ purchase: Purchase) -> [Difference] {
        var open = expectation.outcomes
        var wrong: [(order: String, got: Outcome?)] = []
        for number in expectation.orders {
            let id = purchase.orders[number].id
            let got = observation.outcomes[id]
            if let match = open.firstIndex(where: { $0 == got }) {
                open.remove(at: match)
            } else {
                wrong.append((id, got))
            }
        }
        return zip(wrong, open).map { wrong, expected in
            Difference(
                kind: purchase.kind, subject: "order \(wrong.order)", expected: expected.details,
                got: wrong.got?.details ?? "no such order")
        }
    }

    /// A client that was once sent the wrong way is a difference, even if the order came to the right end.
    private func compareWay(ofOrder number: Int, _ purchase: Purchase) -> Difference? {
        let polled = observation.records[purchase.number]?.polled[number] ?? []
        let actions = polled.map(\.clientAction).filter { !(allowsWaiting && $0 == ClientAction.wait.rawValue) }
        let way = purchase.way(ofOrder: number)
        guard !way.leads(actions) else { return nil }
        let stages = way.map { $0.map(\.rawValue).sorted().joined(separator: " or ") }
        return Difference(
            kind: purchase.kind, subject: "the client of order \(purchase.orders[number].id)",
            expected: "on its way " + stages.joined(separator: ", then "),
            got: polled.map(\.label).joined(separator: ", then "))
    }

    // MARK: Transactions

    private func compare(_ transaction: PlannedTransaction, _ purchase: Purchase) -> [Difference] {
        let key = Observation.TransactionKey(transaction)
        var found: [Difference] = []
        func expect(_ expected: String, _ got: String) {
            guard expected != got else { return }
            found.append(
                Difference(kind: purchase.kind, subject: "transaction \(transaction.id)", expected: expected, got: got))
        }

        expect(transaction.fate.label, place(of: key, transaction, purchase))
        expect(describe(transaction.partialRefund), describe(observation.partialRefunds[key]))
        if let action = transaction.clientAction, let actions = observation.transactionActions {
            expect("its client told to " + action, "its client told to " + (actions[key] ?? "nothing"))
        }
        switch transaction.fate {
        case .granted, .grantedThenRevoked:
            let orders = Set(purchase.orders.map(\.id).filter { observation.outcomes[$0]?.transactionID == transaction.id })
            let grants = observation.grants[key] ?? []
            expect("a grant of \(transaction.quantity) to an order that names it", describe(grants, naming: orders))
            if grants.count == 1, let facts = grants[0].facts {
                let planned = plannedFacts(of: transaction, purchase, grantedTo: grants[0].orderID)
                for (expected, got) in zip(planned.lines, facts.lines) { expect(expected, got) }
            }
        case .unclaimed:
            if let quantity = observation.unclaimedQuantities[key] {
                expect("quantity \(transaction.quantity)", "quantity \(quantity)")
            }
        case .sameGrant, .revoked, .absent:
            break
        }
        return found

        func describe(_ share: Revocation.Share?) -> String {
            switch share {
            case nil: "no part refunded"
            case .part(let part): "\(part) of 100000 refunded"
            case .unknown: "an unknown share refunded"
            case .whole: "all of it refunded"
            }
        }
        func describe(_ grants: [Observation.Grant], naming orders: Set<String>) -> String {
            guard grants.count == 1 else { return "\(grants.count) grants" }
            let whose = orders.contains(grants[0].orderID) ? "an order that names it" : "order \(grants[0].orderID)"
            return "a grant of \(grants[0].quantity) to \(whose)"
        }
    }

    /// What the ledger has to publish of a grant.
    private func plannedFacts(
        of transaction: PlannedTransaction, _ purchase: Purchase, grantedTo orderID: String
    ) -> GrantFacts {
        let number = purchase.transactions.firstIndex { $0.id == transaction.id }
        let payment = number.flatMap { observation.records[purchase.number]?.payments[$0] }
        let order = purchase.orders.firstIndex { $0.id == orderID }
        let proof = order.flatMap { purchase.firstProof(forOrder: $0) }
        return GrantFacts(
            of: transaction, paid: payment, toTheSecond: proof?.datesToTheSecond(of: transaction.app) ?? false)
    }

    /// Where the database has a transaction, in the words of ``Fate/label``.
    private func place(
        of key: Observation.TransactionKey, _ transaction: PlannedTransaction, _ purchase: Purchase
    ) -> String {
        var facts: [String] = []
        let grants = observation.grants[key]?.count ?? 0
        if grants > 0 { facts.append(grants == 1 ? "granted" : "granted \(grants) times") }
        if observation.revoked.contains(key) { facts.append("revoked") }
        if let reason = observation.unclaimed[key] { facts.append("unclaimed(\(reason))") }
        if grants == 0, let granted = observation.grantedIDs[key] {
            if case .sameGrant(let other, _) = transaction.fate, purchase.transactions[other].id == granted {
                facts.append("an id of a grant")
            } else {
                facts.append("an id of the grant of \(granted)")
            }
        }
        return facts.isEmpty ? "absent" : facts.joined(separator: ", ")
    }

    // MARK: What nobody planned

    private var unplanned: [Difference] {
        let known = Set(plan.purchases.flatMap(\.transactions).map { Observation.TransactionKey($0) })
        let orders = Set(plan.purchases.flatMap(\.orders).map(\.id))
        let strangers = Set(observation.grants.keys).union(observation.unclaimed.keys).union(observation.grantedIDs.keys)
            .union(observation.revoked).union(observation.partialRefunds.keys).subtracting(known)
        let unread = Difference(
            kind: nil, subject: "the ledger", expected: "a row of each transaction", got: "several of one: no action can be read")
        return strangers.sorted { $0.id < $1.id }.map { key in
            Difference(kind: nil, subject: "transaction \(key.id)", expected: "nothing", got: "an entry")
        }
            + (observation.transactionActions == nil ? [unread] : [])
            + Set(observation.outcomes.keys).subtracting(orders).sorted().map { order in
                Difference(
                    kind: nil, subject: "order \(order)", expected: "nothing",
                    got: observation.outcomes[order]?.details ?? "an order")
            }
    }
}

/// Something that isn't as the plan says.
package struct Difference: Hashable, Sendable {
    /// The purchase's kind, and its number; nil for what no purchase brought about.
    package var kind: PurchaseKind?
    /// An order or a transaction, by its name.
    package var subject: String
    package var expected: String
    package var got: String

    package var line: String {
        "\(kind?.title ?? "unplanned"): \(subject): expected \(expected), got \(got)"
    }
}
