// SPDX-License-Identifier: Apache-2.0

import Verification

/// The purchases in a genuine receipt. A class, because it travels through asynchronous calls.
final class VerifyReceiptContents: Sendable {
    let bundleID: BundleID

    /// Each transaction once, in no order.
    let transactions: [Transaction]

    /// Entries that were passed over because an id, a product, a time or a quantity couldn't be read.
    let skipped: Int

    /// Reads every purchase of an answer that says the receipt is authentic.
    ///
    /// `in_app` holds what the receipt proves and `latest_receipt_info` what Apple knows now, with more facts: entries
    /// of one transaction are put together, the newer facts first. Neither is in order of time.
    ///
    /// - Returns: nil when the answer names no app, or its list of purchases is no list.
    init?(_ response: VerifyReceiptResponse, environment: AppStoreEnvironment) {
        guard let receipt = response.receipt, let bundleID = receipt.bundleID, !receipt.inApp.isUnreadable
        else { return nil }
        let ownEntries = receipt.inApp.value ?? (receipt.flat.id == nil ? [] : [receipt.flat])
        var merged: [VerifyReceiptEntry] = []
        var positions: [String: Int] = [:]
        var skipped = 0
        for entry in response.latestEntries + ownEntries {
            guard let id = entry.id else {
                skipped += 1
                continue
            }
            if let position = positions[id] {
                merged[position].complete(from: entry)
            } else {
                positions[id] = merged.count
                merged.append(entry)
            }
        }
        let transactions = merged.compactMap { entry in
            entry.transaction(of: BundleID(rawValue: bundleID), in: environment)
        }
        self.bundleID = BundleID(rawValue: bundleID)
        self.transactions = transactions
        self.skipped = skipped + merged.count - transactions.count
    }
}
