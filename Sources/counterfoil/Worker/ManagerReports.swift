// SPDX-License-Identifier: Apache-2.0

import Observability
import ServiceLifecycle
import VerificationQueue

/// Tells the service manager how a worker is doing: that it is ready, that it lives, and a line for people.
///
/// The watchdog is fed only by progress: a worker whose loops stand still is not told to be alive, and is killed. One
/// that waits for its database is, and is left to wait.
struct ManagerReports: Service {
    /// Between two reports, unless the watchdog wants them sooner.
    private static let interval = Duration.seconds(5)

    let manager: ServiceManager
    let worker: Worker
    /// How long the watchdog waits; nil when there is none.
    let watchdogInterval: Duration?

    func run() async throws {
        // Three chances before the watchdog bites.
        let interval = min(Self.interval, (watchdogInterval ?? Self.interval) / 3)
        await cancelWhenGracefulShutdown {
            await withTaskGroup(of: Void.self) { group in
                group.addTask {
                    for await _ in worker.readiness {
                        manager.tell(.ready, .status(worker.snapshot().summary))
                    }
                }
                group.addTask {
                    while !Task.isCancelled {
                        manager.tell(Self.notices(on: worker.snapshot(), interval: interval))
                        try? await Task.sleep(for: interval)
                    }
                }
            }
        }
    }

    /// What to tell of a worker at one moment.
    ///
    /// - Parameter interval: until the next report.
    static func notices(on snapshot: WorkerSnapshot, interval: Duration) -> [ServiceManager.Notice] {
        var notices = [ServiceManager.Notice.status(snapshot.summary)]
        guard snapshot.health.isAlive else { return notices }
        notices.append(.watchdog)
        let isBetweenStates = snapshot.progress.phase != .working || snapshot.progress.lastClaim == nil
        if isBetweenStates {
            // Starting waits for the database, stopping for what runs; both are limited by the worker's own rules.
            notices.append(.extendTimeout(interval * 3 + .seconds(5)))
        }
        return notices
    }
}
