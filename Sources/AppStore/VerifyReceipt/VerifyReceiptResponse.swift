// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Verification

/// An answer of verifyReceipt. Decoding fails only when the body isn't a JSON object.
struct VerifyReceiptResponse: Decodable {
    struct Receipt: Decodable {
        let bundleID: String?

        /// Of the app that made the receipt.
        let applicationVersion: String?

        /// When Apple answered.
        let requestDate: String?

        /// The purchases that the receipt proves.
        let inApp: LenientField<[VerifyReceiptEntry]>

        private enum CodingKeys: String, CodingKey {
            case bundleID = "bundle_id"
            case applicationVersion = "application_version"
            case requestDateMilliseconds = "request_date_ms"
            case inApp = "in_app"
        }

        init(from decoder: any Decoder) throws {
            let fields = try decoder.container(keyedBy: CodingKeys.self)
            bundleID = fields.text(.bundleID)
            applicationVersion = fields.text(.applicationVersion)
            requestDate = fields.text(.requestDateMilliseconds)
            inApp = LenientField(fields, .inApp)
        }
    }

    /// Apple's status; nil when there is no integer of that name.
    let status: Int?

    let environment: LenientField<String>
    let receipt: Receipt?

    /// Purchases of the account beyond the receipt's own.
    let latestEntries: [VerifyReceiptEntry]

    /// Whether asking again may help, in Apple's own words. The name was written with a hyphen once, and the value as 1 or 0.
    let isRetryable: Bool?

    private enum CodingKeys: String, CodingKey {
        case status, environment, receipt
        case latestReceiptInfo = "latest_receipt_info"
        case isRetryable = "is_retryable"
        case isRetryableHyphenated = "is-retryable"
    }

    init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: CodingKeys.self)
        status = LenientField<Int>(fields, .status).value
        environment = fields.simpleText(.environment)
        receipt = LenientField<Receipt>(fields, .receipt).value
        latestEntries = LenientField<[VerifyReceiptEntry]>(fields, .latestReceiptInfo).value ?? []
        isRetryable =
            switch fields.text(.isRetryable) ?? fields.text(.isRetryableHyphenated) {
            case "1", "true": true
            case "0", "false": false
            default: nil
            }
    }
}

extension VerifyReceiptResponse {
    /// Every purchase of an answer with the status of an authentic receipt; each transaction once, in no order.
    ///
    /// `in_app` holds the purchases that the receipt proves, and `latest_receipt_info` those that Apple knows now, with
    /// more facts. Entries of one transaction are put together, the newer facts first. Neither is in order of time.
    /// Entries are skipped if an id, a product, a time or a quantity can't be read. A period that Apple marks as upgraded is paid,
    /// unless it was cancelled at another time than that of an upgrade.
    ///
    /// - Returns: nil when the answer names no app, or its list of purchases is no list.
    func transactions(in environment: AppStoreEnvironment) -> VerifiedTransactions? {
        guard let receipt, let bundleID = receipt.bundleID.map(BundleID.init(rawValue:)), !receipt.inApp.isUnreadable
        else { return nil }
        var merged: [VerifyReceiptEntry] = []
        var positions: [String: Int] = [:]
        var skipped = 0
        for entry in latestEntries + (receipt.inApp.value ?? []) {
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
        let asOf = receipt.requestDate.flatMap(AppleTime.init(digits:))?.date
        let readable = merged.compactMap { entry in
            entry.transaction(of: bundleID, in: environment, asOf: asOf).map { (transaction: $0, isUpgraded: entry.isUpgraded) }
        }
        let upgrades = Upgrades(readable.map(\.transaction))
        let transactions = readable.map { transaction, isUpgraded in
            isUpgraded && !upgrades.contradict(transaction) ? transaction.withoutRevocation() : transaction
        }
        return VerifiedTransactions(
            transactions, mayBeIncomplete: true, bundleID: bundleID, appVersion: receipt.applicationVersion.flatMap(AppVersion.init),
            skipped: skipped + merged.count - transactions.count)
    }
}

/// A simple value, as text.
///
/// Apple documents strings throughout. Numbers and Booleans have been seen in their place and mean the same.
private struct LenientText: Decodable {
    let text: String

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if let string = try? container.decode(String.self) {
            text = string
        } else if let number = try? container.decode(Int64.self) {
            text = String(number)
        } else {
            text = try container.decode(Bool.self) ? "true" : "false"
        }
    }
}

extension KeyedDecodingContainer {
    /// The field's text; nil when it is missing, null, empty or no simple value.
    func text(_ key: Key) -> String? { simpleText(key).value }

    /// The field's text, absent when it is empty; unreadable when it is no simple value.
    func simpleText(_ key: Key) -> LenientField<String> {
        switch LenientField<LenientText>(self, key) {
        case .absent: .absent
        case .unreadable: .unreadable
        case .value(let value): value.text.isEmpty ? .absent : .value(value.text)
        }
    }
}
