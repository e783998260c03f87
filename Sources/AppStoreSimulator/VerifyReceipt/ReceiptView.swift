// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials

/// What is to be said of an app receipt at one moment: its content, as its program has changed it since.
struct ReceiptView {
    /// A moment in the life of a receipt.
    struct Moment {
        /// The number of the call among those answered about it.
        var call: Int
        var now: Date
    }

    /// A purchase, with what the receipt's bytes don't hold.
    struct Purchase {
        var facts: ReceiptContents.Purchase
        /// Apple's digit, beside a cancellation date.
        var cancellationReason: Int?
        /// The remembered transaction with the same id.
        var transaction: SimulatedTransaction?
    }

    let contents: ReceiptContents
    let hasSubscriptions: Bool
    private let program: ReceiptProgram?
    private let book: ReceiptBook

    init(_ contents: ReceiptContents, book: ReceiptBook) {
        self.contents = contents
        self.book = book
        program = book.program(for: contents.id)
        hasSubscriptions = contents.purchases.contains(where: \.isAutoRenewable)
    }

    /// The purchases that `in_app` shows, in the receipt's own order.
    func purchases(at moment: Moment) -> [Purchase] {
        contents.purchases.compactMap { show($0, at: moment) }
    }

    /// What `latest_receipt_info` shows, the newest first: the receipt's purchases, and the remembered transactions
    /// that continue its subscriptions.
    ///
    /// - Parameter excludingOld: keeps of each subscription only the newest period.
    func latestPurchases(at moment: Moment, excludingOld: Bool) -> [Purchase] {
        let known = Set(contents.purchases.map(\.transactionID))
        let subscriptions = Set(contents.purchases.filter(\.isAutoRenewable).map(\.originalTransactionID))
        let later = subscriptions.flatMap { original in
            book.transactions(originalID: original, bundleID: contents.bundleID, environment: contents.environment)
        }
        .filter { !known.contains($0.transactionId) }
        .compactMap { show(ReceiptContents.Purchase($0), at: moment) }
        let all = (purchases(at: moment) + later).sorted { left, right in
            (left.facts.purchaseDate ?? .distantPast) > (right.facts.purchaseDate ?? .distantPast)
        }
        return excludingOld ? Self.withoutOld(all) : all
    }

    /// The newest period of each subscription among purchases that are sorted newest first.
    func newestRenewals(among purchases: [Purchase]) -> [Purchase] {
        Self.withoutOld(purchases.filter(\.facts.isAutoRenewable))
    }

    private static func withoutOld(_ purchases: [Purchase]) -> [Purchase] {
        var seen: Set<String> = []
        return purchases.filter { !$0.facts.isAutoRenewable || seen.insert($0.facts.originalTransactionID).inserted }
    }

    private func show(_ purchase: ReceiptContents.Purchase, at moment: Moment) -> Purchase? {
        let transaction = book.transaction(
            id: purchase.transactionID, bundleID: contents.bundleID, environment: contents.environment)
        var shown = Purchase(
            facts: purchase,
            cancellationReason: purchase.cancellationDate.flatMap { date in
                transaction?.revocationReason ?? (transaction?.upgradeDate == nil ? 0 : nil)
            },
            transaction: transaction
        )
        guard let program else { return shown }
        func hasCome(_ change: ReceiptProgram.Moment) -> Bool { change.hasCome(call: moment.call, now: moment.now) }

        if let emptyUntil = program.emptyUntil, !hasCome(emptyUntil) { return nil }
        if let arrival = program.arrivals[purchase.transactionID], !hasCome(arrival) { return nil }
        if let removal = program.removals[purchase.transactionID], hasCome(removal) { return nil }
        if let refund = program.refunds[purchase.transactionID], hasCome(refund.at) {
            shown.facts.cancellationDate = if case .date(let date) = refund.at { date } else { moment.now }
            shown.cancellationReason = refund.reason
        }
        return shown
    }
}
