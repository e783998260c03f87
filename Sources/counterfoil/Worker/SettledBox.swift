// SPDX-License-Identifier: Apache-2.0

import Synchronization
import VerificationQueue

/// Keeps the report on the one settlement of a process.
final class SettledBox: Sendable {
    private let value = Mutex<Settled?>(nil)

    var settled: Settled? { value.withLock { $0 } }

    func put(_ settled: Settled) {
        value.withLock { $0 = settled }
    }
}
