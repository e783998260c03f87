// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing
import Verification

@testable import Rehearsal

@Suite struct ComparisonTests {
    private static let plan = PurchasePlan(purchases: 200, seed: 3, workers: 2, kills: 0)

    @Test func whatCameAboutAsPlannedHasNoDifference() {
        #expect(Comparison(Self.plan, .asPlanned(Self.plan)).differences == [])
    }

    @Test func ordersThatRaceMaySwapTheirOutcomes() throws {
        let race = try #require(Self.plan.purchases.first { $0.kind == .threeAtOnce })
        var observation = Observation.asPlanned(Self.plan)
        let ids = race.orders.map(\.id)
        let outcomes = ids.map { observation.outcomes[$0] }
        for (id, outcome) in zip(ids, outcomes.dropFirst() + outcomes.prefix(1)) { observation.outcomes[id] = outcome }
        for (transaction, grants) in observation.grants where ids.contains(grants[0].orderID) {
            let order = ids.first { observation.outcomes[$0]?.transactionID == transaction.id }
            observation.grants[transaction]?[0].orderID = try #require(order)
        }

        #expect(Comparison(Self.plan, observation).differences == [])
    }

    /// A way in which something can be otherwise than planned.
    struct Tampering: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let differences: Int
        let change: @Sendable (inout Observation) -> Void
    }

    @Test(arguments: Tampering.all)
    func everythingElseIsADifference(_ tampering: Tampering) {
        var observation = Observation.asPlanned(Self.plan)
        tampering.change(&observation)

        #expect(Comparison(Self.plan, observation).differences.count == tampering.differences)
    }

    /// What clients may see before the end of their orders.
    struct Way: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let kind: PurchaseKind
        let actions: [ClientAction]
    }

    @Test(arguments: [
        Way(testDescription: "nothing but the end", kind: .signedTransaction, actions: [.finish]),
        Way(testDescription: "a wait", kind: .signedTransaction, actions: [.wait, .finish]),
        Way(testDescription: "its better proof is asked for", kind: .mangledThenWhole, actions: [.wait, .resendProof, .wait, .finish]),
        Way(testDescription: "its better proof is asked for at once", kind: .mangledThenWhole, actions: [.resendProof, .finish]),
        Way(
            testDescription: "newer proofs are asked for again and again", kind: .fillsLater,
            actions: [.wait, .resendProof, .wait, .resendProof, .wait, .finish]),
        Way(testDescription: "support first", kind: .forgedThenHonest, actions: [.wait, .contactSupport, .wait, .finish]),
    ])
    func actionsAlongTheWayAreNoDifference(_ way: Way) throws {
        let purchase = try #require(Self.plan.purchases.first { $0.kind == way.kind })
        var observation = Observation.asPlanned(Self.plan)
        observation.notePolls(of: purchase, way.actions)

        #expect(Comparison(Self.plan, observation).differences == [])
    }

    @Test func whereFaultsMakeClientsWaitOnlyTheOtherActionsCount() throws {
        let purchase = try #require(Self.plan.purchases.first { $0.kind == .signedTransaction })
        var observation = Observation.asPlanned(Self.plan)
        observation.notePolls(of: purchase, [.wait, .finish, .wait, .finish])

        #expect(Comparison(Self.plan, observation, allowsWaiting: true).differences == [])
        #expect(Comparison(Self.plan, observation).differences.count == 1)
        observation.notePolls(of: purchase, [.wait, .contactSupport, .wait, .finish])
        #expect(Comparison(Self.plan, observation, allowsWaiting: true).differences.count == 1)
    }

    @Test func aWrongWayIsShownInOrder() throws {
        let purchase = try #require(Self.plan.purchases.first { $0.kind == .signedTransaction })
        var observation = Observation.asPlanned(Self.plan)
        observation.notePolls(of: purchase, [.wait, .contactSupport, .finish])

        let difference = try #require(Comparison(Self.plan, observation).differences.first)
        #expect(difference.subject == "the client of order \(purchase.orders[0].id)")
        #expect(difference.expected == "on its way wait, then finish")
        #expect(difference.got == "open → wait, then open → contact_support, then open → finish")
    }

    @Test func aDifferenceNamesWhatWasExpectedAndWhatCame() throws {
        let purchase = try #require(Self.plan.purchases.first { $0.kind == .signedTransaction })
        var observation = Observation.asPlanned(Self.plan)
        observation.outcomes[purchase.orders[0].id] = .untouched

        let difference = try #require(Comparison(Self.plan, observation).differences.first)
        #expect(difference.kind == .signedTransaction)
        #expect(difference.subject == "order \(purchase.orders[0].id)")
        #expect(difference.expected == "fulfilled → finish [transaction \(purchase.transactions[0].id), production]")
        #expect(difference.got == "open → upload_proof")
    }

    @Test func aPlanThatExpectsSomethingWrongDiffersFromAllThatCanBe() {
        let differences = Comparison(Self.plan.expectingSomethingWrong, .asPlanned(Self.plan)).differences

        #expect(differences.count == 1)
    }
}

extension Observation {
    /// Replaces what the client of a purchase's first order was answered.
    fileprivate mutating func notePolls(of purchase: Purchase, _ actions: [ClientAction]) {
        records[purchase.number]?.polled[0] = actions.map { Outcome(state: "open", clientAction: $0.rawValue) }
    }
}

extension ComparisonTests.Tampering {
    private static let plan = PurchasePlan(purchases: 200, seed: 3, workers: 2, kills: 0)

    private static func first(_ kind: PurchaseKind) -> Purchase {
        guard let purchase = plan.purchases.first(where: { $0.kind == kind }) else {
            preconditionFailure("two hundred purchases bring every kind")
        }
        return purchase
    }

    /// The first transaction of the first purchase of a kind.
    private static func key(_ kind: PurchaseKind) -> Observation.TransactionKey {
        Observation.TransactionKey(first(kind).transactions[0])
    }

    static let all: [ComparisonTests.Tampering] = [
        .init(testDescription: "an order in another state", differences: 1) {
            $0.outcomes[first(.receipt).orders[0].id]?.state = "review"
        },
        .init(testDescription: "an order with another reason", differences: 1) {
            $0.outcomes[first(.wrongProduct).orders[0].id]?.reason = "wrong_app"
        },
        .init(testDescription: "a client told otherwise", differences: 1) {
            $0.outcomes[first(.bareTransactionID).orders[0].id]?.clientAction = "finish"
        },
        .init(testDescription: "an order paid in another environment", differences: 1) {
            $0.outcomes[first(.sandboxAllowed).orders[0].id]?.environment = "production"
        },
        .init(testDescription: "an order that is gone", differences: 1) {
            $0.outcomes[first(.nonsense).orders[0].id] = nil
        },
        .init(testDescription: "an order that nobody placed", differences: 1) {
            $0.outcomes["from nowhere"] = .untouched
        },
        .init(testDescription: "both of two orders paid", differences: 1) { observation in
            for order in first(.replayAtOnce).orders {
                observation.outcomes[order.id] = .fulfilled(first(.replayAtOnce).transactions[0])
            }
        },
        .init(testDescription: "a payment granted twice", differences: 2) {
            $0.grants[key(.signedTransaction)]?.append(.init(orderID: "another", quantity: 1))
        },
        .init(testDescription: "a payment granted to another order", differences: 1) {
            $0.grants[key(.signedTransaction)]?[0].orderID = "another"
        },
        .init(testDescription: "another quantity granted", differences: 1) {
            $0.grants[key(.severalUnits)]?[0].quantity += 1
        },
        .init(testDescription: "a grant that is missing", differences: 2) {
            $0.grants[key(.unlistedProduct)] = nil
            $0.grantedIDs[key(.unlistedProduct)] = nil
        },
        .init(testDescription: "a payment that is lost", differences: 2) {
            $0.unclaimed[key(.quantityShort)] = nil
            $0.transactionActions?[key(.quantityShort)] = nil
        },
        .init(testDescription: "a payment unclaimed for another reason", differences: 1) {
            $0.unclaimed[key(.quantityShort)] = "no_order"
        },
        .init(testDescription: "a grant that is unclaimed as well", differences: 1) {
            $0.unclaimed[key(.hintedAtOnce)] = "no_order"
        },
        .init(testDescription: "something forged that was granted", differences: 1) {
            $0.grants[key(.forgedReceipt)] = [.init(orderID: first(.forgedReceipt).orders[0].id, quantity: 1)]
        },
        .init(testDescription: "a refund that was overlooked", differences: 1) {
            $0.revoked.remove(key(.refundedAfterGrant))
        },
        .init(testDescription: "a part refunded that was overlooked", differences: 1) {
            $0.partialRefunds[key(.proratedAfterGrant)] = nil
        },
        .init(testDescription: "another part refunded", differences: 1) {
            $0.partialRefunds[key(.proratedAfterGrant)] = .part(100_001)
        },
        .init(testDescription: "a part refunded of what nobody refunded", differences: 1) {
            $0.partialRefunds[key(.signedTransaction)] = .unknown
        },
        .init(testDescription: "a client told otherwise of a transaction", differences: 1) {
            $0.transactionActions?[key(.paidTwice)] = "contact_support"
        },
        .init(testDescription: "actions that can't be read", differences: 1) { $0.transactionActions = nil },
        .init(testDescription: "a restored id that belongs to nothing", differences: 1) {
            $0.grantedIDs[.init(first(.restoreBySameAccount).transactions[1])] = nil
        },
        .init(testDescription: "a restored id that belongs to another grant", differences: 1) {
            $0.grantedIDs[.init(first(.restoreBySameAccount).transactions[1])] = "4000"
        },
        .init(testDescription: "a transaction from nowhere", differences: 1) {
            $0.unclaimed[.init(bundleID: "com.example.puzzle", environment: "production", id: "4000")] = "no_order"
        },
        .init(testDescription: "an insert that was taken", differences: 1) { observation in
            let purchase = first(.refusedInsert)
            observation.records[purchase.number]?.refusals[purchase.refusals[0]] = .some(nil)
        },
        .init(testDescription: "a client that was once sent to support", differences: 1) {
            $0.notePolls(of: first(.signedTransaction), [.wait, .contactSupport, .finish])
        },
        .init(testDescription: "a client that was asked for another proof in vain", differences: 1) {
            $0.notePolls(of: first(.signedTransaction), [.wait, .resendProof, .wait, .finish])
        },
        .init(testDescription: "a client that had to wait after its end", differences: 1) {
            $0.notePolls(of: first(.signedTransaction), [.wait, .finish, .wait])
        },
        .init(testDescription: "a client that was asked for its better proof after all was well", differences: 1) {
            $0.notePolls(of: first(.mangledThenWhole), [.wait, .finish, .resendProof])
        },
        .init(testDescription: "a client that was asked for its better proof twice", differences: 1) {
            $0.notePolls(of: first(.mangledThenWhole), [.wait, .resendProof, .wait, .resendProof, .wait, .finish])
        },
        .init(testDescription: "a player who met with trouble", differences: 1) {
            $0.records[first(.receipt).number]?.troubles = ["it never came to rest"]
        },
        .init(testDescription: "a purchase that was never played", differences: 1) {
            $0.records[first(.receipt).number] = nil
        },
    ]
}
