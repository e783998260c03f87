// SPDX-License-Identifier: Apache-2.0

/// What a reader must never do, whatever its input is. A crash is the other thing, and nothing here can report it.
package enum Violation: Hashable, Sendable {
    /// Something that nobody signed is taken for genuine.
    case believed(String)
    /// Two readings of the same bytes don't go together.
    case contradiction(String)
    /// What was read out breaks a rule that the code behind the reader relies on.
    case impossible(String)
    /// It took more processor time than is allowed for its length.
    case slow(Duration, allowed: Duration)
}
