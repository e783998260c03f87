// SPDX-License-Identifier: Apache-2.0

import Testing
import Verification

/// One row of the tables about order matching: what is given, and what must come out.
struct MatchingCase: CustomTestStringConvertible, Sendable {
    /// A payment that is offered, by its transaction id and the heaviest objection that stands before the ledger is asked.
    struct Offer: Equatable, Sendable, ExpressibleByStringLiteral {
        let id: String
        let objection: Reason?

        init(_ id: String, _ objection: Reason?) {
            self.id = id
            self.objection = objection
        }

        init(stringLiteral id: String) {
            self.init(id, nil)
        }
    }

    enum Expected: Equatable, Sendable {
        case candidates([Offer])
        /// One that was taken back is offered, and no other.
        case refunded(String)
        case rejected(Reason)
        case review(Reason)
        case missing

        init(_ verdict: Verdict, for order: Order, under policy: AppPolicy) {
            switch verdict {
            case .candidates(let candidates) where candidates.count == 1 && verdict.takenBack != nil:
                self = .refunded(candidates[0].transaction.id.rawValue)
            case .candidates(let candidates):
                self = .candidates(
                    candidates.map {
                        let objections = Fit.objections(to: PaymentFacts($0), for: order, under: policy)
                        return Offer($0.transaction.id.rawValue, objections.first?.reason)
                    })
            case .rejected(let reason): self = .rejected(reason)
            case .review(let reason): self = .review(reason)
            case .missing: self = .missing
            }
        }
    }

    let testDescription: String
    var transactions: [Transaction]
    var isReceipt: Bool
    var order = makeOrder()
    var policy = AppPolicy()
    var hint: String?
    var expected: Expected
    var unclaimed: [String: Reason] = [:]
    var revoked: Set<String> = []
    var partlyRevoked: Set<String> = []

    /// A proof that shows exactly one transaction.
    static func signed(
        _ name: String, _ transaction: Transaction, order: Order = makeOrder(), policy: AppPolicy = AppPolicy(),
        hint: String? = nil, _ expected: Expected, unclaimed: [String: Reason] = [:], revoked: Set<String> = [],
        partlyRevoked: Set<String> = []
    ) -> MatchingCase {
        MatchingCase(
            testDescription: name, transactions: [transaction], isReceipt: false, order: order, policy: policy,
            hint: hint, expected: expected, unclaimed: unclaimed, revoked: revoked, partlyRevoked: partlyRevoked
        )
    }

    static func receipt(
        _ name: String, _ transactions: [Transaction], order: Order = makeOrder(), policy: AppPolicy = AppPolicy(),
        hint: String? = nil, _ expected: Expected, unclaimed: [String: Reason] = [:], revoked: Set<String> = [],
        partlyRevoked: Set<String> = []
    ) -> MatchingCase {
        MatchingCase(
            testDescription: name, transactions: transactions, isReceipt: true, order: order, policy: policy,
            hint: hint, expected: expected, unclaimed: unclaimed, revoked: revoked, partlyRevoked: partlyRevoked
        )
    }

    func judge(_ transactions: [Transaction]) -> Judgement {
        OrderMatching.judge(
            VerifiedTransactions(transactions, mayBeIncomplete: isReceipt), for: order, policy: policy,
            hint: hint.map { TransactionID(rawValue: $0) }
        )
    }

    /// Of the others, how they are kept by a ledger that knows nothing but the shop's list and what the proof told.
    private func kept(_ judgement: Judgement) -> [KeptPayment] {
        let others = judgement.others.map { other in
            let product = other.transaction.productID
            let listed = product == order.productID ? order.productKind : Self.listed[product.rawValue] ?? .consumable
            return PaymentFacts(
                other,
                ledger: LedgerFacts(
                    isPartlyRefunded: other.transaction.isPartlyRefunded, orderState: order.state, listedKind: listed))
        }
        return Choice.keep(others, beside: order, under: policy)
    }

    /// The kinds of other products than the order's; of those that aren't named: consumables.
    private static let listed: [String: ProductKind] = ["map": .nonConsumable, "club": .autoRenewable]

    /// Checks the whole judgement, with the transactions as given and the other way round.
    func check(sourceLocation: SourceLocation = #_sourceLocation) {
        for shown in [transactions, transactions.reversed()] {
            let judgement = judge(shown)
            let kept = kept(judgement)

            #expect(Expected(judgement.verdict, for: order, under: policy) == expected, sourceLocation: sourceLocation)
            #expect(judgement.others.map(\.transaction) == kept.map(\.transaction), sourceLocation: sourceLocation)
            #expect(kept.count == unclaimed.count, sourceLocation: sourceLocation)
            #expect(
                Dictionary(kept.map { ($0.transaction.id.rawValue, $0.role) }) { first, _ in first }
                    == unclaimed.mapValues { KeptPayment.Role.unclaimed($0) },
                sourceLocation: sourceLocation
            )
            let whole = judgement.revoked.filter(\.isRefunded).map(\.id.rawValue)
            #expect(whole.count == revoked.count, sourceLocation: sourceLocation)
            #expect(Set(whole) == revoked, sourceLocation: sourceLocation)
            let partly = judgement.revoked.filter(\.isPartlyRefunded).map(\.id.rawValue)
            #expect(partly.count == partlyRevoked.count, sourceLocation: sourceLocation)
            #expect(Set(partly) == partlyRevoked, sourceLocation: sourceLocation)
        }
    }
}
