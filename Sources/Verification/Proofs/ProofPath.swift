// SPDX-License-Identifier: Apache-2.0

/// The way of one proof to a verdict: what is asked, and of whom. A decision without I/O.
package enum ProofPath: Hashable, Sendable {
    /// Verified here; what may be granted is then asked of Apple, if the policy wants that.
    case local(Confirmation)
    /// Apple's verifyReceipt judges the whole of it.
    case verifyReceipt
    /// The id is looked up; nothing but Apple's answer is believed.
    case lookUp(TransactionID)

    package init(_ proof: Proof, policy: AppPolicy) {
        switch (proof, policy.receiptRoute) {
        case (.signedTransaction, _): self = .local(policy.confirmation)
        case (.transactionID(let id), _): self = .lookUp(id)
        case (.appReceipt, .verifyReceipt): self = .verifyReceipt
        case (.appReceipt, .localThenAPI): self = .local(.ifOlderThan(0))
        case (.appReceipt, .localOnly): self = .local(.never)
        }
    }

    /// The endpoint whose gate a job has to pass first.
    package var firstEndpoint: Endpoint {
        switch self {
        case .local(.ifOlderThan(0)), .lookUp: .serverAPI(.production)
        case .local: .local
        case .verifyReceipt: .verifyReceipt(.production)
        }
    }

    /// Whether a job in a lane of this route can go this way without changing lanes first.
    ///
    /// A proof that is verified here may wait in the App Store Server API's lane, whatever the policy: a proof that Apple is asked
    /// about in any case was sent there.
    package func mayStart(on route: Route) -> Bool {
        firstEndpoint.route == route || firstEndpoint == .local && route == .serverAPI
    }
}
