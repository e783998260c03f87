// SPDX-License-Identifier: Apache-2.0

import Delivering
import Observability
import ServiceLifecycle

/// Tells the service manager how a deliverer is doing: that it is ready, that it makes progress, and a line for people.
struct DelivererReports: Service {
    /// Between two reports, unless the watchdog wants them sooner.
    private static let interval = Duration.seconds(5)

    let manager: ServiceManager
    let deliverer: Deliverer
    /// How long the watchdog waits; nil when there is none.
    let watchdogInterval: Duration?

    func run() async throws {
        // Three chances before the watchdog bites.
        let interval = min(Self.interval, (watchdogInterval ?? Self.interval) / 3)
        await cancelWhenGracefulShutdown {
            await withTaskGroup(of: Void.self) { group in
                group.addTask {
                    for await _ in deliverer.readiness {
                        manager.tell(.ready, .status(deliverer.snapshot().summary))
                    }
                }
                group.addTask {
                    while !Task.isCancelled {
                        manager.tell(Self.notices(on: deliverer.snapshot(), interval: interval))
                        try? await Task.sleep(for: interval)
                    }
                }
            }
        }
    }

    /// What to tell of a deliverer at one moment.
    ///
    /// - Parameter interval: until the next report.
    static func notices(on snapshot: DelivererSnapshot, interval: Duration) -> [ServiceManager.Notice] {
        var notices = [ServiceManager.Notice.status(snapshot.summary)]
        guard snapshot.isAlive else { return notices }
        notices.append(.watchdog)
        if snapshot.isBetweenStates { notices.append(.extendTimeout(interval * 3 + .seconds(5))) }
        return notices
    }
}
