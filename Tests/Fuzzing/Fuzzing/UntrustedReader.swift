// SPDX-License-Identifier: Apache-2.0

/// A part of the App Store module that reads bytes from outside. Each has a fuzzer of its own.
package enum UntrustedReader: String, CaseIterable, Sendable {
    /// Text as a client hands it over.
    case proofReader = "proof-reader"
    /// A compact JWS.
    case signedTransaction = "signed-transaction"
    /// DER of an app receipt, before base64.
    case appReceipt = "app-receipt"
    /// JSON that Apple answers or signs.
    case appleJSON = "apple-json"

    /// How much more processor time a reading may take for every mebibyte.
    ///
    /// JSON costs most, two microseconds for an empty object in a list, and comes from Apple, not from clients.
    var timePerMebibyte: Duration {
        switch self {
        case .appleJSON: .seconds(2)
        case .proofReader, .signedTransaction, .appReceipt: .milliseconds(100)
        }
    }
}
