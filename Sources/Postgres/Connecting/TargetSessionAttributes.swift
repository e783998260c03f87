// SPDX-License-Identifier: Apache-2.0

/// What a server must be for a session with it to be wanted: libpq's `target_session_attrs`.
enum TargetSessionAttributes: String, Sendable {
    case any
    case readWrite = "read-write"
    case readOnly = "read-only"
    case primary
    case standby
    case preferStandby = "prefer-standby"

    /// What to demand of all the hosts, one round after the other.
    var rounds: [TargetSessionAttributes] {
        self == .preferStandby ? [.standby, .any] : [self]
    }
}
