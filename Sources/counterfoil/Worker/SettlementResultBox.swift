// SPDX-License-Identifier: Apache-2.0

import Synchronization
import VerificationQueue

/// Keeps the report on the one settlement of a process.
final class SettlementResultBox: Sendable {
    private let value = Mutex<SettlementResult?>(nil)

    var settled: SettlementResult? { value.withLock { $0 } }

    func put(_ settled: SettlementResult) {
        value.withLock { $0 = settled }
    }
}
