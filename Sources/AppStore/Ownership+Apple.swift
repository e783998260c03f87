// SPDX-License-Identifier: Apache-2.0

import Verification

extension Transaction.Ownership {
    /// An ownership by Apple's name for it.
    ///
    /// Only `PURCHASED` was paid for by the holder. Where the field is absent, nothing speaks against that: receipts don't have it.
    init(appleName: LenientField<String>) {
        switch appleName {
        case .absent, .value("PURCHASED"): self = .purchased
        case .value("FAMILY_SHARED"): self = .familyShared
        case .value("ASSIGNED"): self = .assigned
        case .value, .unreadable: self = .unknown
        }
    }

    /// Apple's name; nil for an ownership that we don't know.
    var appleName: String? {
        switch self {
        case .purchased: "PURCHASED"
        case .familyShared: "FAMILY_SHARED"
        case .assigned: "ASSIGNED"
        case .unknown: nil
        }
    }
}

extension Transaction.AdditionalReason {
    /// A reason by Apple's name for it; nil where the field is absent or empty.
    init?(appleName: LenientField<String>) {
        switch appleName {
        case .absent, .value(""): return nil
        case .value("SEAT_ADDITION"): self = .seatAddition
        case .value, .unreadable: self = .unknown
        }
    }
}
