// SPDX-License-Identifier: Apache-2.0

package import FoundationEssentials
package import Verification

/// What a proof says, and whether that is proven. For people to look at; the queue never decides by it.
package final class ProofInspection: Sendable {
    /// Whose word it is that a proof is genuine.
    package enum Voucher: String, Hashable, Sendable {
        case apple
        /// One of the roots that the operator trusts beside Apple's.
        case extraRoot = "further_root"
    }

    package enum Authenticity: Hashable, Sendable {
        /// Genuine: the signature and all above it hold.
        case verified(by: Voucher)
        /// Genuine, and a fact in it, its form or its certificates are such as Apple's never were: ``ProofInspection/faults``.
        case odd(by: Voucher)
        /// Genuine, and no purchase: ``ProofInspection/mistake`` is what it is.
        case notAPurchase(by: Voucher)
        /// Not genuine, or not readable.
        case refused(Reason)
        /// Proofs of this kind can't be verified without asking Apple.
        case onlyAppleCanTell
    }

    /// Nil when it is no proof of any kind.
    package let kind: ProofKind?
    package let authenticity: Authenticity

    /// The repairs that the proof needed before it could be read.
    package let repairs: [ProofRepair]

    /// The client's likely mistake, in words, where it is no proof of a purchase.
    package let mistake: String?

    /// The app's bundle id, if one is named.
    package let bundleID: String?

    /// Apple's name of the environment, or of the type of a receipt, as it stands in the proof.
    package let environment: String?

    /// When the proof was made.
    package let signedDate: Date?

    /// The purchases that the proof names. They are only as true as it is: see ``authenticity``.
    package let purchases: [Purchase]

    /// Purchases that can't be read.
    package let skipped: Int

    /// The facts that can't be read in a proof that is genuine and odd; empty for any other. See ``OddProof/faults``.
    package let faults: [String]

    init(
        _ kind: ProofKind?, _ authenticity: Authenticity, repairs: [ProofRepair] = [], mistake: String? = nil,
        bundleID: String? = nil, environment: String? = nil, signedDate: Date? = nil, purchases: [Purchase] = [],
        skipped: Int = 0, faults: [String] = []
    ) {
        self.kind = kind
        self.authenticity = authenticity
        self.repairs = repairs
        self.mistake = mistake
        self.bundleID = bundleID
        self.environment = environment
        self.signedDate = signedDate
        self.purchases = purchases
        self.skipped = skipped
        self.faults = faults
    }

    /// A text that is no proof, and was not looked into.
    package static func refused(_ reason: Reason) -> ProofInspection { ProofInspection(nil, .refused(reason)) }

    /// Whose word it is that it is genuine; nil where that isn't known.
    package var voucher: Voucher? {
        switch authenticity {
        case .verified(let voucher), .odd(let voucher), .notAPurchase(let voucher): voucher
        case .refused, .onlyAppleCanTell: nil
        }
    }

    /// The reason for which it proves no purchase; nil where it proves one, or only Apple can tell.
    package var reason: Reason? {
        switch authenticity {
        case .verified, .onlyAppleCanTell: nil
        case .odd: .unknownAnswer
        case .notAPurchase: .notAPurchase
        case .refused(let reason): reason
        }
    }

    package var isVerified: Bool {
        if case .verified = authenticity { true } else { false }
    }
}
