// SPDX-License-Identifier: Apache-2.0

package import Verification

/// The gate of a lane, as last read.
package struct Gate: Sendable, Hashable {
    package enum Closer: String, Sendable, Hashable {
        case breaker
        /// The service asked to be called less; it opens by a probe, when the service said so.
        case budget
        case configuration
        case `operator`
    }

    package let lane: LaneID
    package let bundleID: BundleID
    package let endpoint: Endpoint

    /// Who closed it; nil when it is open.
    package let closedBy: Closer?

    /// How many probes have failed since it was closed.
    package let failedProbes: Int

    package var isOpen: Bool { closedBy == nil }

    package init(lane: LaneID, bundleID: BundleID, endpoint: Endpoint, closedBy: Closer?, failedProbes: Int = 0) {
        self.lane = lane
        self.bundleID = bundleID
        self.endpoint = endpoint
        self.closedBy = closedBy
        self.failedProbes = failedProbes
    }

    /// What the calls of its lane are counted against; nil where nobody counts.
    package var budget: Budget? {
        guard let environment = endpoint.environment else { return nil }
        switch endpoint.route {
        case .local, .verifyReceipt: return nil
        case .serverAPI: return Budget(bundleID, .getTransactionInfo, environment)
        case .finishTransaction: return Budget(bundleID, .finishTransaction, environment)
        }
    }
}
