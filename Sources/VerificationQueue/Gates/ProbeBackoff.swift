// SPDX-License-Identifier: Apache-2.0

import Verification

/// The delay before the next probe of a closed gate, by the number of probes that failed since it closed.
///
/// No jitter: one prober holds the gate's lease at a time.
///
/// | Failed probes | 0 | 1 | 2 | 3 | 4 | 5 | 6 and more |
/// |---|---|---|---|---|---|---|---|
/// | breaker | 1 s | 2 s | 4 s | 8 s | 16 s | 32 s | 60 s |
/// | configuration | 5 s | 10 s | 20 s | 40 s | 60 s | 60 s | 60 s |
package enum ProbeBackoff: Hashable, Sendable, CaseIterable {
    /// Closed because the service failed, which may be back at any moment.
    case breaker
    /// Closed for a fault of our configuration, which stays until an operator mends it.
    case configuration

    package func delay(afterFailedProbes failures: Int) -> Duration {
        let first: Duration =
            switch self {
            case .breaker: .seconds(1)
            case .configuration: .seconds(5)
            }
        return Backoff(base: first, cap: .seconds(60)).ceiling(afterAttempt: max(failures, 0) + 1)
    }
}
