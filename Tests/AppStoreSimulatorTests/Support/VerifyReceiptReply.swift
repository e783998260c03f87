// SPDX-License-Identifier: Apache-2.0

/// A verifyReceipt answer with the types that Apple documents: decoding fails where one is different.
struct VerifyReceiptReply: Decodable {
    struct Receipt: Decodable {
        var receiptType: String?
        var bundleID: String?
        var adamID: Int64?
        var inApp: [[String: String]]?
        /// Every field that is a string.
        var strings: [String: String] = [:]

        private struct Key: CodingKey {
            var stringValue: String
            var intValue: Int? { nil }
            init(stringValue: String) { self.stringValue = stringValue }
            init?(intValue: Int) { nil }
        }

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: Key.self)
            for key in container.allKeys {
                if let text = try? container.decode(String.self, forKey: key) { strings[key.stringValue] = text }
            }
            receiptType = strings["receipt_type"]
            bundleID = strings["bundle_id"]
            adamID = try container.decodeIfPresent(Int64.self, forKey: Key(stringValue: "adam_id"))
            inApp = try container.decodeIfPresent([[String: String]].self, forKey: Key(stringValue: "in_app"))
        }
    }

    var status: Int
    var environment: String?
    var receipt: Receipt?
    var latestReceipt: String?
    var latestReceiptInfo: [[String: String]]?
    var pendingRenewalInfo: [[String: String]]?

    private enum CodingKeys: String, CodingKey {
        case status, environment, receipt
        case latestReceipt = "latest_receipt"
        case latestReceiptInfo = "latest_receipt_info"
        case pendingRenewalInfo = "pending_renewal_info"
    }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        status = try container.decode(Int.self, forKey: .status)
        environment = try container.decodeIfPresent(String.self, forKey: .environment)
        receipt = try container.decodeIfPresent(Receipt.self, forKey: .receipt)
        latestReceipt = try container.decodeIfPresent(String.self, forKey: .latestReceipt)
        pendingRenewalInfo = try container.decodeIfPresent([[String: String]].self, forKey: .pendingRenewalInfo)
        latestReceiptInfo = try container.decodeIfPresent([[String: String]].self, forKey: .latestReceiptInfo)
    }

    /// The transaction ids in `in_app`, sorted.
    var transactionIDs: [String] {
        (receipt?.inApp ?? []).compactMap { $0["transaction_id"] }.sorted()
    }

    /// The entry of a transaction in `in_app`.
    func purchase(_ id: String) -> [String: String]? {
        receipt?.inApp?.first { $0["transaction_id"] == id }
    }
}
