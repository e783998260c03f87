// SPDX-License-Identifier: Apache-2.0

package import FoundationEssentials

/// How long a job's purchase has been missing.
package struct MissingTimes: Hashable, Sendable {
    /// Seconds since the first check; 0 at the first.
    package let sinceFirstCheck: TimeInterval

    /// Seconds since the check before this one; 0 at the first.
    package let sinceLastCheck: TimeInterval

    package init(sinceFirstCheck: TimeInterval = 0, sinceLastCheck: TimeInterval = 0) {
        self.sinceFirstCheck = sinceFirstCheck
        self.sinceLastCheck = sinceLastCheck
    }
}
