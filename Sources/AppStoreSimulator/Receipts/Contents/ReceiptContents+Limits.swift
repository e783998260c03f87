// SPDX-License-Identifier: Apache-2.0

extension ReceiptContents {
    /// How much a receipt may make its reader do.
    package struct Limits: Sendable, Equatable {
        /// Bytes of the whole receipt; default 4 MiB. Genuine receipts with years of renewals reach several hundred KB.
        package var size = 4 * 1024 * 1024
        /// Attributes of the app and, separately, of one purchase; default 256. Genuine ones have about 30 and 20.
        package var attributes = 256
        /// Purchases; default 10,000.
        package var purchases = 10_000
        /// Bytes of one attribute that is read and is not a set; default 4 KiB.
        package var value = 4 * 1024

        package init() {}
    }
}
