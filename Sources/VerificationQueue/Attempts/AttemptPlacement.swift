// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Verification

/// Chooses the threads that attempts run on.
///
/// ```
///  PostgreSQL                                                              Apple
///      │ answers                                                             │ answers
///  ┌───┴──────────────┐    claimed jobs                            ┌────────┴─────────┐
///  │ the pool's queue ├──────────────┬───────────────────────────▶ │ event loops      │
///  │ claim loop       │              │ begin with a call           │ one for every two│
///  │ settlers         │              ▼ begin without a call        │ processors       │
///  └───▲──────────────┘    ┌──────────────────────────┐            └────────┬─────────┘
///      │                   │ threads of the general   │                     │
///      │                   │ executor, one for every  │                     │
///      │                   │ two processors           │                     │
///      │                   └────────────┬─────────────┘                     │
///      └────────────────────────────────┴───────────────────────────────────┘
///                              finished attempts, to be settled
/// ```
///
/// An attempt that begins with a call to Apple runs on the event loop that carries calls, so that the answer costs no
/// change of threads. All others verify a signature first, which would hold up a loop's connections. They are spread
/// over a few threads: each begins on the thread of those before it and leaves that thread when it first waits. An
/// attempt that waits for nobody costs no change of threads.
package struct AttemptPlacement: Sendable {
    /// Each further thread costs its wake-up, and the next claim brings threads of its own.
    private static let threads = max(1, ProcessInfo.processInfo.activeProcessorCount / 2)

    private let callExecutors: [any TaskExecutor]

    /// - Parameter callExecutors: the event loops that calls to Apple go through; empty where no attempt makes a call.
    package init(callExecutors: [any TaskExecutor] = []) {
        self.callExecutors = callExecutors
    }

    /// Starts the attempts of a claim's jobs.
    ///
    /// - Parameter beginsWithCall: whether a job's attempt calls Apple before it computes.
    func start(
        _ jobs: [Job], in group: inout DiscardingTaskGroup, beginsWithCall: (Job) -> Bool,
        attempt: @escaping @Sendable (Job) async -> Void
    ) {
        var local: [Job] = []
        for (place, job) in jobs.enumerated() {
            if callExecutors.isEmpty || !beginsWithCall(job) {
                local.append(job)
            } else {
                group.addTask(executorPreference: callExecutors[place % callExecutors.count]) { await attempt(job) }
            }
        }
        let parts = min(local.count, Self.threads)
        for part in 0..<parts {
            let jobs = local[(local.count * part / parts)..<(local.count * (part + 1) / parts)]
            group.addTask(executorPreference: globalConcurrentExecutor) {
                await withDiscardingTaskGroup { attempts in
                    for job in jobs {
                        attempts.addImmediateTask { await attempt(job) }
                    }
                }
            }
        }
    }
}
