// SPDX-License-Identifier: Apache-2.0

/// How many calls came at once, at most.
package struct CallRate: Hashable, Sendable {
    /// Within any one second.
    package internal(set) var perSecond = 0
    /// Within any ten seconds.
    package internal(set) var perTenSeconds = 0
}
