// SPDX-License-Identifier: Apache-2.0

package import Verification

/// The gate of a lane, as last read.
package struct Gate: Sendable, Hashable {
    package enum Closer: String, Sendable, Hashable {
        case breaker
        case configuration
        case `operator`
    }

    package let lane: LaneID
    package let bundleID: BundleID
    package let endpoint: Endpoint

    /// Who closed it; nil when it is open.
    package let closedBy: Closer?

    package var isOpen: Bool { closedBy == nil }

    package init(lane: LaneID, bundleID: BundleID, endpoint: Endpoint, closedBy: Closer?) {
        self.lane = lane
        self.bundleID = bundleID
        self.endpoint = endpoint
        self.closedBy = closedBy
    }
}
