// SPDX-License-Identifier: Apache-2.0

/// Stands for an app's secret or key where all workers see it: two are equal if and only if the credentials are.
package struct CredentialDigest: Hashable, Sendable {
    /// 32 bytes.
    package let bytes: [UInt8]

    package init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }
}
