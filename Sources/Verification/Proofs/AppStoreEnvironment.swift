// SPDX-License-Identifier: Apache-2.0

/// Where Apple keeps a transaction; part of every transaction's identity.
///
/// Xcode's and LocalTesting's signed data never verify, so they have no case here.
package enum AppStoreEnvironment: String, Hashable, Sendable, CaseIterable {
    case production
    case sandbox

    /// The environment that isn't this one.
    package var other: AppStoreEnvironment {
        self == .production ? .sandbox : .production
    }
}
