// SPDX-License-Identifier: Apache-2.0

import Observability
import Synchronization

/// A sink in the place of the journal that keeps what it is given.
final class KeptLines: LogSink {
    private let kept = Mutex<[String]>([])

    var lines: [String] { kept.withLock { $0 } }
    var keepsTime: Bool { true }

    func write(_ line: String) {
        kept.withLock { $0.append(line) }
    }
}
