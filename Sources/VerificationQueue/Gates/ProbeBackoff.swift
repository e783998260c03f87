// SPDX-License-Identifier: Apache-2.0

import Verification

/// The delay before the next probe of a closed gate, by the number of probes that failed since it closed.
///
/// No jitter: one prober holds the gate's lease at a time.
///
/// | Failed probes | 0 | 1 | 2 | 3 | 4 | 5 | 6 and more |
/// |---|---|---|---|---|---|---|---|
/// | delay | 1 s | 2 s | 4 s | 8 s | 16 s | 32 s | 60 s |
package enum ProbeBackoff {
    private static let backoff = Backoff(base: .seconds(1), cap: .seconds(60))

    package static func delay(afterFailedProbes failures: Int) -> Duration {
        backoff.ceiling(afterAttempt: max(failures, 0) + 1)
    }
}
