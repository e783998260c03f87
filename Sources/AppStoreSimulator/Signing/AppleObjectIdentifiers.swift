// SPDX-License-Identifier: Apache-2.0

package import SwiftASN1

extension ASN1ObjectIdentifier {
    /// Marks the leaf certificates that sign App Store data.
    package static let appleReceiptSigning: Self = [1, 2, 840, 113635, 100, 6, 11, 1]
    /// Marks Apple's intermediate authority for developer services (WWDR).
    package static let appleDeveloperRelations: Self = [1, 2, 840, 113635, 100, 6, 2, 1]
    /// Marks certificates of developers, which chain to the same root and must not be taken for Apple's.
    package static let appleDeveloperSigning: Self = [1, 2, 840, 113635, 100, 6, 1, 2]
    /// Marks another intermediate authority below the same root.
    package static let appleDeveloperIDAuthority: Self = [1, 2, 840, 113635, 100, 6, 2, 6]
}
