// SPDX-License-Identifier: Apache-2.0

/// Why bytes are not taken for an app receipt.
package enum ReceiptContentsError: Error, Equatable {
    /// Larger than ``ReceiptContents/Limits/size``.
    case tooLarge
    /// More attributes or purchases than allowed, or a value longer than allowed.
    case tooMany
    /// BER's indefinite form, which only Xcode's local receipts use.
    case indefiniteLength
    /// Not the shape of a receipt; the text names the first thing that was wrong.
    case malformed(String)
}
