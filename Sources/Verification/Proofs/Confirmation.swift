// SPDX-License-Identifier: Apache-2.0

package import FoundationEssentials

/// Whether a transaction that was verified by its signature is asked of Apple before it is granted.
///
/// A signature holds for the time when it was made; a later refund is known only to Apple.
package enum Confirmation: Hashable, Sendable {
    case never
    /// If it was signed more than this number of seconds ago; with 0, always.
    case ifOlderThan(TimeInterval)

    /// - Parameter signedAt: nil when the proof doesn't say; it then counts as old.
    package func isNeeded(signedAt: Date?, now: Date) -> Bool {
        switch self {
        case .never: false
        case .ifOlderThan(let age): age <= 0 || signedAt.map { now.timeIntervalSince($0) >= age } ?? true
        }
    }
}
