// SPDX-License-Identifier: Apache-2.0

import Postgres
import ServiceLifecycle
import VerificationQueue

/// Wakes a worker when a backend signals new jobs. A hint only: the worker's poll would find them, a little
/// later.
struct JobSignals: Service {
    let listener: PostgresListener
    let worker: Worker

    func run() async throws {
        for await _ in listener.cancelOnGracefulShutdown() {
            worker.wake()
        }
    }
}
