// SPDX-License-Identifier: Apache-2.0

import AppStoreSimulator
import Rehearsal
import Synchronization

/// Plays purchases at a steady rate while things break, each to its end.
struct ChaosLoad: Sendable {
    /// Stories whose end doesn't depend on when something is looked at, so that every delay lets them end alike.
    static let kinds: [PurchaseKind] = [
        .signedTransaction, .receipt, .severalUnits, .ownToken, .repeatedProof, .damagedProof, .threeAtOnce,
        .hintedAtOnce, .confirmedTransaction, .confirmedReceipt, .threeConfirmedAtOnce, .receiptOfSilentApp,
        .replayBySameAccount, .replayByAnotherAccount, .replayAtOnce, .restoreBySameAccount, .restoreByAnotherAccount,
        .paidTwice, .subscriptionRenewed, .wrongProduct, .foreignApp, .quantityShort, .refundedTransaction,
        .refundedAfterGrant, .refundedUnderRestoredID, .proratedBeforeGrant, .proratedAfterGrant, .sharesAfterGrant,
        .tokensSwapped, .renewalOfAnother, .assignedSeat, .nonsense, .mangledProof,
    ]

    /// Stories that need no call to the App Store Server API.
    static let kindsOfReceipts: [PurchaseKind] = [.receipt, .receiptOfSilentApp]

    /// Of each, one receipt is shown for two orders, and one of these is rejected: by the careful path of a settlement.
    static let sharedReceipts: [ChaosSettings.ExtraStory] = Array(repeating: .sharedProof(orders: 2), count: 20)

    let plan: PurchasePlan
    let environment: ChaosEnvironment

    static func plan(_ settings: ChaosSettings, seed: UInt64) -> PurchasePlan {
        let plan = PurchasePlan(purchases: settings.purchases, seed: seed, kinds: settings.kinds)
        let extra = settings.extra.enumerated().map { number, story in
            var draft = PurchaseDraft(
                number: settings.firstExtra + number, kind: .receipt, generator: PlanGenerator(seed: seed))
            switch story {
            case .poison: draft.poison()
            case .refusedSecret: draft.refusedSecret()
            case .sharedProof(let orders): draft.sharedProof(orders: orders)
            case .held: draft.held()
            }
            return draft.purchase
        }
        // Not among the first, which come before any fault.
        let first = plan.purchases.count / 4
        let purchases = Array(plan.purchases.prefix(first)) + extra + plan.purchases.dropFirst(first)
        return PurchasePlan(seed: seed, purchases: purchases, kills: [])
    }

    /// Returns when every player has come to rest.
    ///
    /// - Parameter faults: returns when all faults are over.
    /// - Returns: what each met with, by the number of its purchase; nothing of those that faults play.
    func run(waitingFor faults: @Sendable () async -> Void) async throws -> [Int: PlayRecord] {
        var start = ContinuousClock.now
        let load = environment.settings.load
        return try await withThrowingTaskGroup(of: (Int, PlayRecord).self) { group in
            for (begun, purchase) in plan.purchases.enumerated() {
                if environment.settings.secondHalfWaits, begun == plan.purchases.count / 2 {
                    await faults()
                    start = .now - load / 2
                }
                let deadline = start + load + environment.settings.patience
                if !environment.settings.isBurst {
                    try await Task.sleep(until: start + load * begun / plan.purchases.count)
                }
                if environment.settings.heldPurchases.contains(purchase.number) { continue }
                let player = environment.player(of: purchase, until: deadline)
                group.addTask { [player] in
                    var player = player
                    return (purchase.number, try await player.play())
                }
            }
            var records: [Int: PlayRecord] = [:]
            for try await (number, record) in group { records[number] = record }
            return records
        }
    }
}
