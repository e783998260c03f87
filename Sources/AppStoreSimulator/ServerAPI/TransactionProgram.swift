// SPDX-License-Identifier: Apache-2.0

/// What becomes of one transaction in the App Store Server API's answers, from the moment this is set.
///
/// Calls are counted per transaction over all endpoints: each call that asks about it, or about its customer's history,
/// counts once, and sees the change already that it brings about.
///
/// As JSON every field may be left out; moments are as in ``ReceiptProgram``:
/// ```json
/// {"arrival": {"call": 3}, "refund": {"at": {"call": 5}, "reason": 1}, "reversal": {"date": "2026-01-31T09:00:00Z"},
///  "errorCode": 4040002, "forged": "wrongLeafOID"}
/// ```
package struct TransactionProgram: Sendable, Equatable, Codable {
    /// The transaction isn't there before.
    package var arrival: ReceiptProgram.Moment?
    /// When it is refunded in full.
    package var refund: ReceiptProgram.Refund?
    /// When a refund is undone.
    package var reversal: ReceiptProgram.Moment?
    /// Get Transaction Info answers this error in place of everything else. 4010000 is HTTP 401 to a good key.
    package var errorCode: Int?
    /// Makes its signed form wrong in one way.
    package var forged: ForgedVariant?

    package init() {}
}
