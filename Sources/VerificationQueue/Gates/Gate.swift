// SPDX-License-Identifier: Apache-2.0

package import Verification

/// The gate of a lane, as this worker read it last.
package struct Gate: Sendable, Hashable {
    package enum Closer: String, Sendable, Hashable {
        case breaker
        /// The service asks for fewer calls. A probe opens the gate, at the time that the service named.
        case budget
        case configuration
        case `operator`
    }

    package let lane: LaneID
    package let bundleID: BundleID
    package let endpoint: Endpoint

    /// Who closed it; nil when it is open.
    package let closedBy: Closer?

    /// The number of probes that have failed since it was closed.
    package let failedProbes: Int

    package var isOpen: Bool { closedBy == nil }

    package init(lane: LaneID, bundleID: BundleID, endpoint: Endpoint, closedBy: Closer?, failedProbes: Int = 0) {
        self.lane = lane
        self.bundleID = bundleID
        self.endpoint = endpoint
        self.closedBy = closedBy
        self.failedProbes = failedProbes
    }

    /// The budget of its lane's calls; nil where Apple doesn't count them.
    package var budget: Budget? {
        guard let environment = endpoint.environment else { return nil }
        switch endpoint.route {
        case .local, .verifyReceipt: return nil
        case .serverAPI: return Budget(bundleID, .getTransactionInfo, environment)
        case .finishTransaction: return Budget(bundleID, .finishTransaction, environment)
        }
    }
}
