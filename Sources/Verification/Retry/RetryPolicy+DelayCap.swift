// SPDX-License-Identifier: Apache-2.0

extension RetryPolicy {
    /// Longest delay that the policy chooses by itself: an answer of Apple's may ask for a longer one. Default 6 hours,
    /// ``missingCap``. Setting it shortens each longer delay to it, the first ones too, and lengthens none.
    package var delayCap: Duration {
        get {
            [
                backoff.base, backoff.cap, uncertainBackoff.base, uncertainBackoff.cap, refusedProofBackoff.base,
                refusedProofBackoff.cap, missingDelay, missingCap,
                refusedSettlementDelay,
            ].reduce(.zero, max)
        }
        set {
            backoff = backoff.shortened(to: newValue)
            uncertainBackoff = uncertainBackoff.shortened(to: newValue)
            refusedProofBackoff = refusedProofBackoff.shortened(to: newValue)
            missingDelay = min(missingDelay, newValue)
            missingCap = min(missingCap, newValue)
            refusedSettlementDelay = min(refusedSettlementDelay, newValue)
        }
    }
}

extension Backoff {
    fileprivate func shortened(to limit: Duration) -> Backoff {
        Backoff(base: min(base, limit), cap: min(cap, limit))
    }
}
