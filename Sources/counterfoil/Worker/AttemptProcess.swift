// SPDX-License-Identifier: Apache-2.0

import CommandSupport
import FoundationEssentials
import Glibc
import Logging
import Subprocess
import SystemPackage
import Verification
import VerificationQueue

/// Attempts a job in a process of its own, so that what ends that process ends nothing else.
///
/// The process is this very program, told the job, the lease token and the time; the proof it reads from the database. It
/// settles the job itself. One that doesn't end in time is killed, and that counts as a crash; a database that doesn't
/// answer it is no crash, which is why it gives up on that some time before.
struct AttemptProcess: Sendable {
    let attemptDeadline: Duration
    let logger: Logger

    /// Attempts one claimed job, and returns when the process is gone.
    func attempt(_ job: Job) async -> IsolatedAttempt {
        let lease = ContinuousClock.now.duration(to: job.leaseEnds)
        let attempt = min(attemptDeadline, lease - .seconds(1))
        guard attempt > .zero else { return .handedBack }
        // Of what is left of the lease, a quarter is for settling after the attempt's own end and a quarter for giving that
        // up; the rest is for settling the crash.
        let settled = attempt + (lease - attempt) / 4
        let limit = attempt + (lease - attempt) / 2

        logger.notice(
            "attempting in a process of its own",
            metadata: ["job.id": "\(job.id.rawValue)", "job.attempt": "\(job.attempt)", "rescues": "\(job.rescues)"])
        let outcomes = await withTaskGroup(of: IsolatedAttempt?.self) { group in
            group.addTask { await run(job, attempt: attempt, lease: settled) }
            group.addTask {
                try? await Task.sleep(for: limit)
                return nil
            }
            let first = await group.next() ?? nil
            // Kills the process if it is still there, and waits for its end.
            group.cancelAll()
            return [first, await group.next() ?? nil]
        }
        let outcome = outcomes.compactMap(\.self).first ?? .handedBack
        switch outcome {
        case .settled, .handedBack: return outcome
        // We killed it ourselves: because the worker stops, or because the time was up.
        case .crashed where Task.isCancelled: return .handedBack
        case .crashed where outcomes.first == .some(nil): return .crashed("deadline")
        case .crashed: return outcome
        }
    }

    private func run(_ job: Job, attempt: Duration, lease: Duration) async -> IsolatedAttempt {
        var options = PlatformOptions()
        // A cancellation kills at once: the process has nothing to tidy up.
        options.teardownSequence = []
        do {
            let result = try await Subprocess.run(
                .path("/proc/self/exe"),
                arguments: Arguments(
                    executablePathOverride: "counterfoil",
                    remainingValues: [
                        "attempt", "--job", "\(job.id.rawValue)", "--lease-token", "\(job.lease.token)",
                        "--attempt-milliseconds", "\(Int64(attempt / .milliseconds(1)))",
                        "--lease-milliseconds", "\(Int64(lease / .milliseconds(1)))",
                    ]),
                environment: Self.environment, platformOptions: options, output: .discarded, error: .currentStandardError)
            return Self.outcome(of: result.terminationStatus)
        } catch where Task.isCancelled {
            return .crashed("killed")
        } catch {
            logger.error("could not start a process for an attempt", metadata: ["error": "\(error)"])
            return .handedBack
        }
    }

    /// The worker's own, with crash reports that leave out registers: those are printed with the memory that they point at,
    /// which may be a proof or a secret.
    private static var environment: Environment {
        let reports = ProcessInfo.processInfo.environment[backtraceVariable]
        return .inherit.updating([.init(stringLiteral: backtraceVariable): crashReports(reports)])
    }

    /// The variable by which the Swift runtime is told how to report a crash; of settings that contradict, the last counts.
    private static let backtraceVariable = "SWIFT_BACKTRACE"

    static func crashReports(_ inherited: String?) -> String {
        [inherited, "registers=none"].compactMap(\.self).filter { !$0.isEmpty }.joined(separator: ",")
    }

    /// What the way in which a process ended says of its attempt.
    static func outcome(of status: TerminationStatus) -> IsolatedAttempt {
        switch status {
        case .exited(0): .settled
        case .exited(ExitStatus.temporaryFailure.rawValue): .handedBack
        case .exited(let code): .crashed("exit code \(code)")
        // Somebody asked it to stop; no proof does that.
        case .signaled(SIGTERM), .signaled(SIGINT), .signaled(SIGHUP): .handedBack
        case .signaled(let signal): .crashed("signal \(signal)")
        }
    }
}
