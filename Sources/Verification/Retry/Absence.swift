// SPDX-License-Identifier: Apache-2.0

package import FoundationEssentials

/// How long a job's purchase has been looked for in vain.
package struct Absence: Hashable, Sendable {
    /// Seconds since the first look; 0 at the first.
    package let sinceFirstLook: TimeInterval

    /// Seconds since the last one before this; 0 at the first.
    package let sinceLastLook: TimeInterval

    package init(sinceFirstLook: TimeInterval = 0, sinceLastLook: TimeInterval = 0) {
        self.sinceFirstLook = sinceFirstLook
        self.sinceLastLook = sinceLastLook
    }
}
