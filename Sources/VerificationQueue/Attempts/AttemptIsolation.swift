// SPDX-License-Identifier: Apache-2.0

import Logging
import Verification

/// Attempts jobs in processes of their own, a few at a time, after they were rescued too often: their proofs may crash
/// a worker.
struct AttemptIsolation: Sendable {
    let configuration: WorkerConfiguration
    let inFlight: InFlight
    let metrics: WorkerMetrics?
    let logger: Logger
    /// Starts a process that attempts and settles the job, and returns when the process has ended.
    let runProcess: @Sendable (Job) async -> IsolatedAttempt

    func isDue(_ job: Job) -> Bool {
        job.rescues >= configuration.rescuesBeforeIsolation
    }

    /// Attempts a job alone; nil when the process has settled it.
    func attempt(_ job: Job) async -> Attempt? {
        guard inFlight.takeIsolation(limit: configuration.isolatedAttempts) else {
            return putOff(job, "waits for a process of its own")
        }
        defer { inFlight.returnIsolation() }
        let isolated = await runProcess(job)
        metrics?.isolated(isolated)
        switch isolated {
        case .settled: return nil
        case .handedBack: return putOff(job, "handed back by its own process")
        case .crashed(let how): return Attempt(settlement: settlement(of: job, crashedBy: how), calls: [])
        }
    }

    private func putOff(_ job: Job, _ message: String) -> Attempt {
        Attempt(
            settlement: Settlement(job, .wait(.snooze(for: .seconds(1)), nil, lane: nil), message: message),
            calls: [])
    }

    /// Each crash of a job that was attempted alone counts; the last one discards the job.
    private func settlement(of job: Job, crashedBy how: String) -> Settlement {
        let message = "its own process ended: \(how)"
        logger.error("an attempt crashed alone", metadata: ["job.id": "\(job.id.rawValue)", "how": "\(how)"])
        guard job.crashes + 1 < configuration.crashLimit else {
            return Settlement(job, .discard(.crashedRepeatedly, lane: nil), message: message, crashed: true)
        }
        var generator = SystemRandomNumberGenerator()
        let delay = configuration.retry.backoff.delay(afterAttempt: job.attempt, using: &generator)
        return Settlement(job, .wait(.retry(after: delay), nil, lane: nil), message: message, crashed: true)
    }
}
