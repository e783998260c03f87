// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Testing
import Verification

/// The promise, on random worlds: every paid purchase is granted once at most, and nobody loses one.
///
/// A failure names its seed; `RandomWorld(seed:)` makes the same world again.
@Suite struct ExactlyOnceTests {
    private static let seeds: ClosedRange<UInt64> = 1...600
    private static let uploads = 60

    /// Plays a world: random proofs for random orders, one settlement after another.
    private func play(
        _ seed: UInt64,
        check: (RandomWorld, RandomWorld.Upload, Order, Judgement, OrderOutcome, SimulatedLedger) -> Void
    ) -> SimulatedLedger {
        var world = RandomWorld(seed: seed)
        var ledger = SimulatedLedger(orders: world.orders, policy: world.policy, listed: RandomWorld.listed)
        for _ in 0..<Self.uploads {
            let index = Int.random(in: 0..<ledger.orders.count, using: &world.generator)
            let order = ledger.orders[index]
            let upload = world.makeUpload(by: order.accountID)
            let judgement = OrderMatching.judge(
                VerifiedTransactions(upload.transactions, mayBeIncomplete: upload.isReceipt), for: order,
                policy: world.policy, hint: upload.hint)
            let outcome = ledger.settle(judgement, at: index, hint: upload.hint)
            check(world, upload, order, judgement, outcome, ledger)
        }
        return ledger
    }

    /// The payment that a transaction stands for, known to the world and not to the code.
    private func payment(_ transaction: Transaction, in world: RandomWorld) -> String {
        let isBoughtAgain = transaction.id.rawValue.hasSuffix("b")
        let name =
            switch world.product(of: transaction).kind {
            case .consumable: transaction.id.rawValue
            case .nonConsumable, .nonRenewing: transaction.originalID.rawValue + (isBoughtAgain ? "b" : "")
            case .autoRenewable: transaction.webOrderLineItemID ?? transaction.id.rawValue
            }
        return transaction.environment.rawValue + name
    }

    @Test(arguments: seeds)
    func paymentIsGrantedOnceAndOnlyWhereItFits(_ seed: UInt64) {
        let world = RandomWorld(seed: seed)

        let ledger = play(seed) { world, upload, uploading, judgement, outcome, ledger in
            guard let (order, payment) = payment(by: outcome, for: uploading, of: ledger) else { return }
            let granted = payment.transaction
            let name = SimulatedLedger.Name(granted)
            #expect(order.accountID == uploading.accountID, "seed \(seed): another account's order")
            #expect(granted.bundleID == order.bundleID, "seed \(seed): another app's")
            #expect(granted.productID == order.productID, "seed \(seed): another product's")
            #expect(granted.quantity >= order.quantity, "seed \(seed): too few")
            #expect(granted.environment == .production || world.policy.allowsSandbox, "seed \(seed): sandbox")
            #expect(granted.ownership == .purchased, "seed \(seed): a family member's")
            #expect(granted.additionalReason == nil, "seed \(seed): seats")
            #expect(!ledger.isTakenBack(granted, as: world.product(of: granted).kind), "seed \(seed): taken back")
            let kind = world.product(of: granted).kind
            #expect(RandomWorld.listed[granted.productID] ?? kind == kind, "seed \(seed): listed as another kind")
            #expect(kind != .autoRenewable || granted.webOrderLineItemID != nil, "seed \(seed): an unconfirmed period")
            #expect(!ledger.isBoughtAgain(granted, as: kind), "seed \(seed): bought again after a refund")
            let first = ledger.shownBy[name].flatMap { $0.accountID == order.accountID ? $0.createdAt : nil }
            let latest = payment.paidAt.addingTimeInterval(world.policy.purchaseTimeTolerance)
            #expect(
                order.isRecovery || order.createdAt <= latest || first.map { $0 <= latest } == true && order.id == uploading.id,
                "seed \(seed): from before the order")
            #expect(payment.kind == kind, "seed \(seed): under a wrong key")
            #expect(
                !upload.transactions.contains { $0.id == granted.id && $0.revocationDate != nil },
                "seed \(seed): taken back in this proof")
            if let token = order.appAccountToken, let other = granted.appAccountToken {
                #expect(token == other || ledger.account(of: other) == order.accountID, "seed \(seed): another owner's")
            }
            if order.appAccountToken != nil, world.policy.absentToken == .review {
                #expect(granted.appAccountToken ?? ledger.tokens[name] != nil, "seed \(seed): without a token")
            }
            if let account = ledger.shownBy[name]?.accountID, account != order.accountID {
                let isOurs = granted.appAccountToken != nil && granted.appAccountToken == order.appAccountToken
                #expect(
                    isOurs || ledger.account(of: granted.appAccountToken) == order.accountID,
                    "seed \(seed): shown by another account")
            }
            if let start = world.policy.ledgerStartsAt {
                #expect(granted.paymentDate(as: kind) >= start, "seed \(seed): from before the ledger")
            }
        }

        let payments = ledger.grants.map { payment($0.payment.transaction, in: world) }
        #expect(Set(payments).count == payments.count, "seed \(seed): a payment granted twice")
    }

    /// The order that was paid, as it was before, and by what.
    private func payment(by outcome: OrderOutcome, for uploading: Order, of ledger: SimulatedLedger) -> (Order, PaymentFacts)? {
        switch outcome {
        case .fulfilled(let payment): (uploading, payment)
        case .paidAnother(let own, let payment): (ledger.orders.first { $0.id == own }!, payment)
        case .unchanged, .anotherPayment, .rejected, .review, .refunded: nil
        }
    }

    @Test(arguments: seeds)
    func paymentIsGrantedOrHeldOrUnclaimed(_ seed: UInt64) {
        _ = play(seed) { world, upload, order, judgement, _, ledger in
            let names = Set(upload.transactions.map(SimulatedLedger.Name.init))
            for transaction in world.transactions where names.contains(SimulatedLedger.Name(transaction)) {
                let isPaid =
                    transaction.ownership == .purchased && transaction.bundleID == order.bundleID
                    && (transaction.environment == .production || world.policy.allowsSandbox)
                let kind = world.product(of: transaction).kind
                guard isPaid, !ledger.isTakenBack(transaction, as: kind) else { continue }
                #expect(
                    ledger.holds(transaction) || ledger.unclaimed[SimulatedLedger.Name(transaction)] != nil,
                    "seed \(seed): \(transaction.id.rawValue) of \(order.id.rawValue) is lost")
            }
        }
    }

    @Test(arguments: seeds)
    func nothingUnpaidIsUnclaimed(_ seed: UInt64) {
        _ = play(seed) { world, _, order, judgement, _, ledger in
            let unclaimed = ledger.kept.filter(\.role.isUnclaimed).map(\.transaction)
            for transaction in judgement.others.map(\.transaction) + unclaimed {
                #expect(transaction.ownership == .purchased, "seed \(seed): a family member's")
                #expect(transaction.bundleID == order.bundleID, "seed \(seed): another app's")
                #expect(transaction.revocationDate == nil, "seed \(seed): taken back")
                let isAdmitted = transaction.environment == .production || world.policy.allowsSandbox
                #expect(isAdmitted, "seed \(seed): sandbox")
            }
        }
    }

    @Test(arguments: seeds)
    func everyTransactionOfAProofIsToldOnce(_ seed: UInt64) {
        _ = play(seed) { _, _, _, judgement, outcome, ledger in
            var told = judgement.others.map(\.transaction) + judgement.revoked
            if case .candidates(let candidates) = judgement.verdict {
                told += candidates.map(\.transaction).filter { !$0.isRefunded }
                #expect(!candidates.isEmpty, "seed \(seed): no candidate")
            }
            #expect(Set(told.map(SimulatedLedger.Name.init)).count == told.count, "seed \(seed): told twice")
            let ended = ledger.kept.map(\.transaction) + [outcome.granted?.transaction].compactMap(\.self)
            #expect(Set(ended.map(SimulatedLedger.Name.init)).count == ended.count, "seed \(seed): ended twice")
        }
    }

    @Test(arguments: seeds)
    func settledOrderIsNeverMovedByAnotherProof(_ seed: UInt64) {
        _ = play(seed) { _, _, order, judgement, outcome, _ in
            guard !order.state.canBeFulfilled, case .candidates = judgement.verdict else { return }
            if case .paidAnother = outcome { return }
            #expect(outcome == .unchanged, "seed \(seed): \(order.id.rawValue) was \(order.state)")
        }
    }

    @Test(arguments: seeds)
    func refundNamesAPaymentThatWasTakenBack(_ seed: UInt64) {
        _ = play(seed) { world, _, order, _, outcome, ledger in
            guard case .refunded(let transaction) = outcome else { return }
            let kind = world.product(of: transaction).kind
            #expect(
                ledger.isTakenBack(transaction, as: kind), "seed \(seed): \(transaction.id.rawValue) was not taken back"
            )
            #expect(transaction.productID == order.productID, "seed \(seed): another product's")
            #expect(transaction.ownership == .purchased, "seed \(seed): a family member's")
        }
    }

    @Test(arguments: seeds)
    func orderOfTheTransactionsDoesNotMatter(_ seed: UInt64) {
        _ = play(seed) { world, upload, order, judgement, _, _ in
            var generator = SeededGenerator(seed: seed)
            let shuffled = upload.transactions.shuffled(using: &generator)
            let again = OrderMatching.judge(
                VerifiedTransactions(shuffled, mayBeIncomplete: upload.isReceipt),
                for: order, policy: world.policy, hint: upload.hint)

            #expect(again.verdict == judgement.verdict, "seed \(seed)")
            #expect(again.others == judgement.others, "seed \(seed)")
            #expect(again.revoked == judgement.revoked, "seed \(seed)")
        }
    }

    /// Without this the other statements could be true of worlds in which nothing happens.
    @Test func worldsAreEventful() {
        var outcomes: Set<String> = []
        var grants = 0
        for seed in Self.seeds {
            let ledger = play(seed) { _, _, _, _, outcome, ledger in
                outcomes.formUnion(ledger.unclaimed.values.map { "unclaimed \($0.rawValue)" })
                switch outcome {
                case .unchanged: outcomes.insert("unchanged")
                case .paidAnother(_, let payment):
                    outcomes.insert("paid another, \(payment.transaction.appAccountToken == nil ? "youngest" : "named")")
                case .anotherPayment(let transaction): outcomes.insert("another payment \(transaction.revocation == nil)")
                case .fulfilled(let payment): outcomes.insert("fulfilled \(payment.kind?.rawValue ?? "")")
                case .rejected(let reason, _): outcomes.insert("rejected \(reason.rawValue)")
                case .review(let reason, _): outcomes.insert("review \(reason.rawValue)")
                case .refunded: outcomes.insert("refunded")
                }
            }
            grants += ledger.grants.count
        }

        #expect(grants > Int(Self.seeds.upperBound))
        #expect(
            outcomes.isSuperset(of: [
                "unchanged", "refunded", "fulfilled consumable", "fulfilled non_consumable", "fulfilled non_renewing",
                "fulfilled auto_renewable", "rejected wrong_app", "rejected wrong_product",
                "rejected sandbox_not_allowed", "rejected family_shared", "rejected already_granted",
                "rejected already_owned", "rejected granted_to_another_account",
                "rejected purchase_not_in_receipt", "review unknown_product",
                "review product_kind_mismatch", "review subscription_unconfirmed", "review before_ledger",
                "review purchase_before_order", "review owner_mismatch", "review token_missing",
                "review quantity_short", "review wrong_product", "paid another, youngest", "paid another, named",
                "another payment true", "another payment false", "review bought_again_after_revocation", "review seats_added",
                "unclaimed wrong_product", "unclaimed seats_added", "unclaimed before_ledger",
                "unclaimed no_order", "unclaimed order_already_paid", "unclaimed order_cancelled", "unclaimed renewal",
            ]),
            "seen: \(outcomes.sorted())")
    }
}

extension KeptPayment.Role {
    fileprivate var isUnclaimed: Bool {
        if case .unclaimed = self { true } else { false }
    }
}
