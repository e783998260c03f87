// SPDX-License-Identifier: Apache-2.0

/// The body of a verifyReceipt call.
///
/// It must be a JSON object. A field of another type than Apple documents counts as absent.
struct VerifyReceiptRequest: Decodable, Sendable {
    let receiptData: String?
    let password: String?
    let excludesOldTransactions: Bool

    private enum CodingKeys: String, CodingKey {
        case receiptData = "receipt-data"
        case password
        case excludesOldTransactions = "exclude-old-transactions"
    }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        receiptData = try? container.decode(String.self, forKey: .receiptData)
        password = try? container.decode(String.self, forKey: .password)
        excludesOldTransactions = (try? container.decode(Bool.self, forKey: .excludesOldTransactions)) ?? false
    }
}
