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

    /// Orders for whose proof Apple refused the lane's secret or key since it accepted one.
    package let refusals: Refusals

    /// Numbers of orders.
    package struct Refusals: Sendable, Hashable {
        package let all: Int
        /// Of proofs that need the credential, since Apple accepted one for such a proof.
        package let needed: Int

        package static let none = Refusals(all: 0, needed: 0)
    }

    /// The key by which Apple found a payment last.
    package let findingKey: CredentialDigest?

    /// A key by which Apple finds nobody's payment: that of another Apple account or app.
    package let foreignKey: CredentialDigest?

    package var isOpen: Bool { closedBy == nil }

    package init(
        lane: LaneID, bundleID: BundleID, endpoint: Endpoint, closedBy: Closer?, failedProbes: Int = 0,
        refusals: Refusals = .none, findingKey: CredentialDigest? = nil, foreignKey: CredentialDigest? = nil
    ) {
        self.lane = lane
        self.bundleID = bundleID
        self.endpoint = endpoint
        self.closedBy = closedBy
        self.failedProbes = failedProbes
        self.refusals = refusals
        self.findingKey = findingKey
        self.foreignKey = foreignKey
    }

    /// The same gate after Apple accepted its credential.
    func with(refusals: Refusals) -> Gate {
        Gate(
            lane: lane, bundleID: bundleID, endpoint: endpoint, closedBy: closedBy, failedProbes: failedProbes, refusals: refusals,
            findingKey: findingKey, foreignKey: foreignKey)
    }

    /// Whether a probe's answer doesn't mend the fault of configuration that the gate is closed for.
    ///
    /// - Parameter accepted: the secret or key that Apple accepted by the answer; nil where the answer doesn't show that.
    func staysClosed(after accepted: CredentialUse?) -> Bool {
        guard let accepted else { return refusals.all > 0 || foreignKey != nil }
        return accepted.credential == foreignKey && !accepted.finds
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
