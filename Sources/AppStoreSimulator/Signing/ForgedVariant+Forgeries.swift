// SPDX-License-Identifier: Apache-2.0

extension ForgedVariant {
    /// The variants that a verifier must refuse. In the other one the App Store's leaf signed all that counts: a root is trusted
    /// because it is pinned, whatever comes along in its place.
    package static let forgeries: [Self] = allCases.filter { $0 != .replacedRoot }
}

extension ForgedReceiptVariant {
    /// The variants that a verifier must refuse. In the others the App Store's leaf signed the content, and only the form is one
    /// that Apple doesn't use.
    package static let forgeries: [Self] = allCases.filter { variant in
        switch variant {
        case .replacedRoot, .algorithmECDSA, .algorithmOfOtherDigest, .digestNotListed, .twoSigners, .signerByKeyIdentifier: false
        default: true
        }
    }
}
