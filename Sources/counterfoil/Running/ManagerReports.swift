// SPDX-License-Identifier: Apache-2.0

import Observability
import ServiceLifecycle

/// Tells the service manager how a worker or a deliverer is doing: that it is ready, that it lives, and a line for people.
///
/// The watchdog is fed only by progress: a program whose loops stand still is not told to be alive, and is killed. One
/// that waits for its database is, and is left to wait.
struct ManagerReports: Service {
    /// Between two reports, unless the watchdog wants them sooner.
    private static let interval = Duration.seconds(5)

    let manager: ServiceManager
    /// An element when the program becomes ready.
    let readiness: AsyncStream<Void>
    let state: @Sendable () -> ProgramState
    /// How long the watchdog waits; nil when there is none.
    let watchdogInterval: Duration?

    func run() async throws {
        // Three chances before the watchdog bites.
        let interval = min(Self.interval, (watchdogInterval ?? Self.interval) / 3)
        await cancelWhenGracefulShutdown {
            await withTaskGroup(of: Void.self) { group in
                group.addTask {
                    for await _ in readiness {
                        manager.tell(.ready, .status(state().summary))
                    }
                }
                group.addTask {
                    while !Task.isCancelled {
                        manager.tell(Self.notices(on: state(), interval: interval))
                        try? await Task.sleep(for: interval)
                    }
                }
            }
        }
    }

    /// What to tell of a program at one moment.
    ///
    /// - Parameter interval: until the next report.
    static func notices(on state: ProgramState, interval: Duration) -> [ServiceManager.Notice] {
        var notices = [ServiceManager.Notice.status(state.summary)]
        guard state.isAlive else { return notices }
        notices.append(.watchdog)
        if state.isBetweenStates { notices.append(.extendTimeout(interval * 3 + .seconds(5))) }
        return notices
    }
}
