// SPDX-License-Identifier: Apache-2.0

import Testing
import Verification

/// One row of the tables about order matching: what is given, and what must come out.
struct MatchingCase: CustomTestStringConvertible, Sendable {
    /// A candidate, by transaction id and obstacle.
    struct Offer: Equatable, Sendable, ExpressibleByStringLiteral {
        let id: String
        let obstacle: Reason?

        init(_ id: String, _ obstacle: Reason?) {
            self.id = id
            self.obstacle = obstacle
        }

        init(stringLiteral id: String) {
            self.init(id, nil)
        }
    }

    enum Expected: Equatable, Sendable {
        case candidates([Offer])
        case refunded(String)
        case rejected(Reason)
        case review(Reason)
        case missing

        init(_ verdict: Verdict) {
            switch verdict {
            case .candidates(let candidates):
                self = .candidates(candidates.map { Offer($0.transaction.id.rawValue, $0.obstacle) })
            case .refunded(let transaction): self = .refunded(transaction.id.rawValue)
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

    /// Checks the whole judgement, with the transactions as given and the other way round.
    func check(sourceLocation: SourceLocation = #_sourceLocation) {
        for order in [transactions, transactions.reversed()] {
            let judgement = judge(order)

            #expect(Expected(judgement.verdict) == expected, sourceLocation: sourceLocation)
            #expect(judgement.unclaimed.count == unclaimed.count, sourceLocation: sourceLocation)
            #expect(
                Dictionary(judgement.unclaimed.map { ($0.transaction.id.rawValue, $0.reason) }) { first, _ in first }
                    == unclaimed,
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
