// SPDX-License-Identifier: Apache-2.0

/// Whether and how a private server takes TCP connections, at 127.0.0.1 only. Its Unix socket trusts whoever may enter its
/// folder, which is its own user and root.
package enum LoopbackAccess: Sendable {
    /// Unix socket only.
    case none
    /// Everybody on this machine, as any role.
    case trusted
    /// By the role's password (SCRAM-SHA-256).
    case password

    var authenticationMethod: String? {
        switch self {
        case .none: nil
        case .trusted: "trust"
        case .password: "scram-sha-256"
        }
    }
}
