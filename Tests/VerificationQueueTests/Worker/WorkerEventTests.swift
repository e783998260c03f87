// SPDX-License-Identifier: Apache-2.0

import TestSupport
import Testing
import Verification
import VerificationQueue

@Suite struct WorkerEventTests {
    @Test(.timeLimit(.minutes(1))) func aClaimNamesTheWakeUpThatItRanFor() async throws {
        try await QueueFixture.run { queue in
            var configuration = WorkerConfiguration()
            // Nothing else wakes the claims.
            configuration.pollInterval = .seconds(3600)
            let (events, continuation) = AsyncStream<WorkerEvent>.makeStream()
            let worker = Worker(
                pool: queue.pool, verifier: ScriptedVerifier(), configuration: configuration, identity: .test, logger: .test,
                observe: { continuation.yield($0) })
            async let running: Void = worker.run()
            for await event in events { if case .gatesRead = event { break } }
            try await queue.submit("a", "eyJ 1")

            worker.wake()

            var jobs = 0
            for await event in events {
                if case .claimed(let count, .signalled) = event { jobs += count }
                if case .settled = event { break }
            }
            worker.drain()
            try await running
            #expect(jobs == 1)
        }
    }
}
