// SPDX-License-Identifier: Apache-2.0

import Verification

extension ReceiptClaims {
    /// - Parameter proof: an id claims nothing.
    init(of proof: Proof) {
        switch proof {
        case .appReceipt(let base64):
            let limits = AppReceiptLimits()
            guard let bytes = Base64.decode(padded: Array(base64.utf8)[...], as: .standard),
                let facts = (try? SignedReceipt(bytes, limits: limits))?.facts
            else {
                self.init()
                return
            }
            self.init(
                bundleID: facts.bundleID.value.map(BundleID.init(rawValue:)), holdsSubscription: facts.mayHoldSubscription(limits))
        case .signedTransaction(let jws):
            // `revocationDate`, `revocationReason`, `revokedSeatQuantity` and their like.
            self.init(showsRefund: CompactJWS(jws).map { $0.payload[...].contains(bytes: Array("\"revo".utf8)) } ?? false)
        case .transactionID:
            self.init()
        }
    }
}

extension ReceiptFacts {
    /// Whether a purchase is a period of a subscription. A purchase that can't be read may be one.
    fileprivate func mayHoldSubscription(_ limits: AppReceiptLimits) -> Bool {
        purchases.contains { ReceiptPurchase($0, attributeLimit: limits.attributes)?.isPeriod ?? true }
    }
}
