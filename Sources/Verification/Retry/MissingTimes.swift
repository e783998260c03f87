// SPDX-License-Identifier: Apache-2.0

package import FoundationEssentials

/// How long a job's purchase has been looked for in vain.
package struct MissingTimes: Hashable, Sendable {
    /// Seconds since the first look; 0 at the first.
    package let sinceFirstCheck: TimeInterval

    /// Seconds since the last one before this; 0 at the first.
    package let sinceLastCheck: TimeInterval

    package init(sinceFirstCheck: TimeInterval = 0, sinceLastCheck: TimeInterval = 0) {
        self.sinceFirstCheck = sinceFirstCheck
        self.sinceLastCheck = sinceLastCheck
    }
}
