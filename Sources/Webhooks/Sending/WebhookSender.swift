// SPDX-License-Identifier: Apache-2.0

package import FoundationEssentials
package import Logging
package import Postgres
import ServiceLifecycle
import Synchronization

/// Sends changes of the feed to the endpoints of shops, beside a worker: reads the feed, claims events, calls, settles.
///
/// Any number of workers send for the same endpoints. What a worker that died had claimed is sent again once its lease is over, so
/// that an endpoint may be told something twice, under the same id. Only endpoints are served whose secrets this worker has.
package final class WebhookSender: Service {
    /// A step of a sender, for tests that wait for it.
    package enum Event: Sendable, Equatable {
        /// Endpoints were looked for.
        case named([String])
        /// Events were claimed.
        case took(Int)
        /// A call was settled: how it ended, and what became of the event.
        case settled(event: String, endpoint: String, result: WebhookResult, became: String)
        case beganAnew(endpoint: String)
    }

    /// Between two looks at least: settled calls ask for one each.
    private static let shortestPause = Duration.milliseconds(10)

    private let store: WebhookStore
    private let caller: WebhookCaller
    private let secrets: WebhookSecretFiles
    private let configuration: WebhookConfiguration
    private let logger: Logger
    private let metrics: WebhookMetrics?
    private let observe: (@Sendable (Event) -> Void)?
    private let inFlight = Mutex(0)
    private let names = Mutex<[String]>([])
    /// Endpoints whose secrets are missing here, each told once.
    private let unserved = Mutex<[String: String]>([:])
    private let (wakeUps, wakeUp) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    private let (untilStopping, beginStopping) = AsyncStream.makeStream(of: Void.self)

    /// - Parameters:
    ///   - pool: by a worker's role; its own, so that settlements don't wait for it.
    ///   - now: the time of day, which signatures bear.
    ///   - observe: called with each event; must be quick.
    /// - Throws: a `CustomStringConvertible` error when the file of additional roots can't be used.
    package init(
        pool: PostgresPool, secrets: WebhookSecretFiles, configuration: WebhookConfiguration, logger: Logger,
        metrics: WebhookMetrics? = nil, now: @escaping @Sendable () -> Date = { Date() },
        observe: (@Sendable (Event) -> Void)? = nil
    ) throws {
        store = WebhookStore(pool: pool)
        caller = WebhookCaller(
            clients: try WebhookClients(configuration), secrets: secrets, configuration: configuration, now: now)
        self.secrets = secrets
        self.configuration = configuration
        self.logger = logger
        self.metrics = metrics
        self.observe = observe
    }

    /// Sends until it is asked to stop. Calls under way get ``WebhookConfiguration/drainDuration``.
    package func run() async throws {
        if !configuration.privateNetworks.isEmpty {
            logger.warning(
                "webhooks may be sent to networks that aren't public",
                metadata: ["networks": "\(configuration.privateNetworks.map(\.description).joined(separator: ","))"])
        }
        await withGracefulShutdownHandler {
            await withTaskGroup(of: Bool.self) { group in
                group.addTask {
                    await self.work()
                    return true
                }
                group.addTask {
                    for await _ in self.untilStopping {}
                    self.wakeUp.finish()
                    try? await Task.sleep(for: self.configuration.drainDuration)
                    // Calls that end so are settled as released.
                    await self.caller.clients.shutDown()
                    return false
                }
                for await isOver in group where isOver { group.cancelAll() }
            }
            await caller.clients.shutDown()
        } onGracefulShutdown: {
            self.beginStopping.finish()
        }
    }

    /// Looks for events until the stream of wake-ups ends, and returns when all calls have.
    private func work() async {
        await withDiscardingTaskGroup { calls in
            await withTaskGroup(of: Void.self) { group in
                group.addTask { await self.everyPoll() }
                group.addTask { await self.findNames() }
                group.addTask { await self.measure() }
                for await _ in wakeUps {
                    await take(&calls)
                    try? await Task.sleep(for: Self.shortestPause)
                }
                group.cancelAll()
            }
        }
    }

    private func take(_ calls: inout DiscardingTaskGroup) async {
        let served = names.withLock { $0 }
        let room = configuration.inFlight - inFlight.withLock { $0 }
        guard !served.isEmpty, room > 0 else { return }
        do {
            let (events, anew) = try await store.take(served, atMost: room, lease: configuration.leaseDuration)
            for name in anew {
                logger.warning("a webhook's cursor is unknown here: it begins anew", metadata: ["endpoint": "\(name)"])
                observe?(.beganAnew(endpoint: name))
            }
            inFlight.withLock { $0 += events.count }
            for event in events { calls.addTask { await self.send(event) } }
            observe?(.took(events.count))
            isComplaining.withLock { $0 = false }
        } catch {
            complain("could not read what webhooks have to send", error)
        }
    }

    private func send(_ event: WebhookEvent) async {
        let result = await caller.call(event)
        defer {
            inFlight.withLock { $0 -= 1 }
            wakeUp.yield()
        }
        metrics?.count(result)
        do {
            let became = try await store.settle(event, result, chance: .random(in: -1...1))
            log(event, result, became)
            observe?(.settled(event: event.id, endpoint: event.name, result: result, became: became))
        } catch {
            // It is sent again once the lease is over.
            complain("could not settle a webhook", error)
        }
    }

    /// Never with the address or the answer: both may hold what is the shop's.
    private func log(_ event: WebhookEvent, _ result: WebhookResult, _ became: String) {
        let metadata: Logger.Metadata = [
            "endpoint": "\(event.name)", "event.id": "\(event.id)", "tries": "\(event.tries + 1)", "result": "\(result.name)",
        ]
        switch became {
        case "handled": logger.debug("a webhook was handled", metadata: metadata)
        case "off": logger.error("an endpoint of webhooks is off", metadata: metadata)
        case "given_up": logger.error("a webhook was given up; it waits for counterfoil webhooks resend", metadata: metadata)
        case "waits": logger.notice("a webhook wasn't handled; it waits", metadata: metadata)
        default: logger.warning("a webhook's lease was lost", metadata: metadata)
        }
    }

    // MARK: Chores

    private func everyPoll() async {
        while !Task.isCancelled {
            wakeUp.yield()
            try? await Task.sleep(for: configuration.pollInterval * Double.random(in: 0.5...1))
        }
    }

    private func findNames() async {
        while !Task.isCancelled {
            do {
                try await findNamesOnce()
            } catch {
                complain("could not look for endpoints of webhooks", error)
            }
            await caller.clients.tidy()
            try? await Task.sleep(for: configuration.namesInterval)
        }
    }

    private func findNamesOnce() async throws {
        var served: [String] = []
        for (name, isUnserved) in try await store.names() {
            do throws(WebhookSecrets.Fault) {
                _ = try secrets[name]
                served.append(name)
                unserved.withLock { $0[name] = nil }
            } catch {
                let problem = "\(WebhookSecretFiles.fileName(of: name)) \(error.problem)"
                let isNew = unserved.withLock { $0.updateValue(problem, forKey: name) != problem }
                if isNew { logger.error("an endpoint of webhooks isn't served here", metadata: ["problem": "\(problem)"]) }
                // Another worker may have it.
                if isUnserved { try await store.note("no worker serves it: \(problem)", of: name) }
            }
        }
        names.withLock { $0 = served }
        observe?(.named(served))
    }

    private func measure() async {
        guard let metrics else { return }
        while !Task.isCancelled {
            do {
                metrics.set(try await store.measure())
            } catch {
                complain("could not count webhooks", error)
            }
            try? await Task.sleep(for: configuration.measureInterval)
        }
    }

    private let isComplaining = Mutex(false)

    /// Once in a row: the database may be away for long.
    private func complain(_ message: Logger.Message, _ error: any Error) {
        guard !Task.isCancelled,
            isComplaining.withLock({ isComplaining in
                defer { isComplaining = true }
                return !isComplaining
            })
        else { return }
        logger.warning(message, metadata: ["error": "\(error)"])
    }
}
