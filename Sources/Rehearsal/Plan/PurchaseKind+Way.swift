// SPDX-License-Identifier: Apache-2.0

package import Verification

/// The client actions that clients may be given on the way to the end of their orders, in order.
///
/// The action of the order's own end comes last and isn't listed: the plan has it. Any listed action may be missing. The actions of
/// one stage may take turns.
extension PurchaseKind {
    package var way: [Set<ClientAction>] {
        switch self {
        // Apple, or the receipt, lacks the purchase: the client is asked for newer proofs until it is there.
        case .fillsLater, .arrivesLater, .missingAtFirst: [[.wait, .resendProof]]
        // The client has a better proof, and sends that when it is asked to.
        case .refreshedReceipt, .mangledThenWhole: [[.wait], [.resendProof], [.wait]]
        // The first proof is no good, and the client sends another on its own.
        case .forgedThenHonest, .recoveryAfterReview: [[.wait], [.contactSupport], [.wait]]
        // The proof shows what pays, or paid, for another order: the client has this order's own proof still to upload.
        case .olderPurchase, .tokensSwapped, .downgraded: [[.wait], [.uploadProof], [.wait]]
        // Repaired, verified, or left to an operator at the first look. A useless hint costs no second one.
        case .wrappedProof, .uselessHint, .sha384Receipt, .receiptOfFourCertificates, .oddlySigned: [[.wait]]
        // Nobody polls as a client: the order is looked at until Apple has told of its payment.
        case .lostWithToken, .lostThenBack, .lostOfKnownCustomer, .lostWithAccountsToken: [[.uploadProof, .wait], [.finish]]
        case .refundTold, .reversalToldFirst: [[.wait], [.finish]]
        default: [[.wait]]
        }
    }
}

extension Purchase {
    /// All that the client of an order may be given, in order: the way of the purchase's kind, and the actions of the order's end.
    /// Orders that race may each come to any of their ends.
    package func way(ofOrder number: Int) -> [Set<ClientAction>] {
        // Apple's word pays an order of which no client sends a proof.
        if !lives.isEmpty, firstProof(forOrder: number) == nil { return [[.uploadProof, .wait], [.finish]] }
        let ends = expectations.filter { $0.orders.contains(number) }.flatMap(\.outcomes).map(\.clientAction)
        return kind.way + [Set(ends.compactMap(ClientAction.init(rawValue:)))]
    }
}

extension [Set<ClientAction>] {
    /// Whether these actions lead along the way and never back.
    ///
    /// - Parameter actions: as a client got them, one after the other.
    package func leads(_ actions: [String]) -> Bool {
        var left = self[...]
        for action in actions {
            guard let action = ClientAction(rawValue: action), let stage = left.firstIndex(where: { $0.contains(action) })
            else { return false }
            left = left[stage...]
        }
        return true
    }
}
