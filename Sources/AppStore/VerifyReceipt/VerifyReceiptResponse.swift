// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Verification

/// An answer of verifyReceipt. Decoding fails only when the body isn't a JSON object.
struct VerifyReceiptResponse: Decodable {
    /// The `receipt` object of either style.
    struct Receipt: Decodable {
        let bundleID: String?

        /// The purchases of an app receipt.
        let inApp: LenientField<[VerifyReceiptEntry]>

        /// The object itself as an entry: an iOS 6 style receipt is one purchase.
        let flat: VerifyReceiptEntry

        private enum CodingKeys: String, CodingKey {
            case bundleID = "bundle_id"
            case bid
            case inApp = "in_app"
        }

        init(from decoder: any Decoder) throws {
            let fields = try decoder.container(keyedBy: CodingKeys.self)
            bundleID = fields.text(.bundleID) ?? fields.text(.bid)
            inApp = LenientField(fields, .inApp)
            flat = try VerifyReceiptEntry(from: decoder)
        }
    }

    /// Apple's status; nil when there is no integer of that name.
    let status: Int?

    let environment: String?
    let receipt: Receipt?

    /// Purchases of the account beyond the receipt's own; one object instead of an array in the iOS 6 style.
    let latestEntries: [VerifyReceiptEntry]

    /// Whether Apple says that asking again may help. The name was written with a hyphen once, and the value as 1 or 0.
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
        environment = fields.text(.environment)
        receipt = LenientField<Receipt>(fields, .receipt).value
        latestEntries =
            LenientField<[VerifyReceiptEntry]>(fields, .latestReceiptInfo).value
            ?? LenientField<VerifyReceiptEntry>(fields, .latestReceiptInfo).value.map { [$0] } ?? []
        isRetryable =
            switch fields.text(.isRetryable) ?? fields.text(.isRetryableHyphenated) {
            case "1", "true": true
            case "0", "false": false
            default: nil
            }
    }
}
