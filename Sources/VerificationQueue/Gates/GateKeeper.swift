// SPDX-License-Identifier: Apache-2.0

package import Logging
package import Postgres
import Synchronization
package import Verification

/// Keeps a worker's view of the gates: closes and opens them, ends probes, and names the lanes that a claim scans.
package final class GateKeeper: Sendable {
    package let cache = GateCache()

    /// Up to this many open lanes a claim scans all; with more, only lanes with due or running jobs, and those that a job came into
    /// since (``noticeNewLanes()``).
    package static let lanesWithoutLookingFirst = 50

    private let store: GateStore
    private let configuration: WorkerConfiguration
    private let name: String
    private let logger: Logger
    private let breakers = Mutex<[LaneID: Breaker]>([:])
    private let inUse = Mutex<Set<LaneID>?>(nil)

    package init(store: GateStore, configuration: WorkerConfiguration, name: String, logger: Logger) {
        self.store = store
        self.configuration = configuration
        self.name = name
        self.logger = logger
    }

    /// The lanes that a claim scans.
    package var lanesToClaim: [LaneID] {
        let open = cache.openLanes
        guard let used = lanesInUse(of: open.count) else { return open }
        return open.filter(used.contains)
    }

    /// Finds the lanes that a job came into since the heads of all lanes were found last, so that a claim scans them, too. An idle
    /// lane's first order would wait up to `gateInterval` otherwise.
    package func noticeNewLanes() async throws {
        let open = cache.openLanes
        guard let used = lanesInUse(of: open.count) else { return }
        let found = try await store.lanesWithJobs(among: open.filter { !used.contains($0) })
        inUse.withLock { $0?.formUnion(found) }
    }

    /// - Returns: nil where a claim scans all open lanes: there are few, or their heads were never found.
    private func lanesInUse(of openLanes: Int) -> Set<LaneID>? {
        openLanes > Self.lanesWithoutLookingFirst ? inUse.withLock { $0 } : nil
    }

    /// The number of jobs of each lane that are worth running at a time, where its calls have a budget.
    package func limits(of lanes: [LaneID], _ rateLimiter: RateLimiter) -> [LaneID: Int] {
        var limits: [LaneID: Int] = [:]
        for lane in lanes {
            guard let gate = cache[lane], let budget = gate.budget else { continue }
            limits[lane] = rateLimiter.worthRunning(budget)
        }
        return limits
    }

    /// Reads all gates, and takes the right to probe those that are due.
    ///
    /// - Parameter takesProbes: whether the caller carries probes out. No other worker probes until the right lapses.
    package func refresh(takesProbes: Bool = true) async throws -> [GateStore.Probe] {
        cache.replace(with: try await store.list())
        return takesProbes ? try await store.takeProbes(lasting: configuration.leaseDuration) : []
    }

    /// Finds the first job of each open lane.
    ///
    /// - Parameters:
    ///   - open: the open lanes.
    ///   - lowWaterMarks: where to begin, from ``ClaimPlanner/lowWaterMarks(of:slack:)``.
    ///   - running: the lanes of jobs in flight: a job that ends may make another one due.
    package func findLaneHeads(
        of open: [LaneID], lowWaterMarks: [PostgresTimestamp], running: some Sequence<LaneID>
    ) async throws -> [GateStore.LaneHeads] {
        let found = try await store.laneHeads(of: open, lowWaterMarks: lowWaterMarks)
        inUse.withLock { $0 = Set(found.lazy.filter(\.isInUse).map(\.lane)).union(running) }
        return found
    }

    /// Records an attempt's calls, and closes a gate if more calls would be useless.
    ///
    /// - Parameter probed: the lane whose calls were a probe's.
    package func record(_ attempt: Attempt, but probed: LaneID? = nil) async {
        for call in attempt.calls where call.lane != probed {
            switch call.result {
            case .answered:
                _ = count(.answered, call.lane, attempt)
                await noteAcceptance(by: call, in: attempt)
            case .credentialRefused:
                _ = count(.answered, call.lane, attempt)
            case .failed:
                if count(.failed, call.lane, attempt) == .closeGate {
                    await close(call.lane, by: .breaker, why: "calls to the App Store fail")
                }
            case .limited(let delay):
                await close(call.lane, by: .budget, why: "the App Store asks for fewer calls", firstProbe: delay)
            case .misconfigured(let why):
                await close(call.lane, by: .configuration, why: why)
            }
        }
    }

    /// Ends a probe: an answer opens the gate for all workers, a failure delays the next probe. The attempt's calls in other lanes
    /// are recorded as always.
    ///
    /// A gate that closed because Apple refuses the lane's secret or key opens once Apple accepts it, and not by an answer that
    /// says nothing about it. One that closed because Apple finds nobody's payment by the key opens once Apple finds one, or
    /// accepts another key.
    package func end(_ probe: GateStore.Probe, with attempt: Attempt?) async {
        let call = attempt?.calls.first { $0.lane == probe.lane }
        let saysNothing =
            probe.closedBy == .configuration && cache[probe.lane].map { $0.staysClosed(after: call?.accepted) } ?? false
        do {
            switch call?.result {
            case .answered where saysNothing, .credentialRefused where probe.closedBy == .configuration:
                try await store.fail(
                    probe, nextAfter: ProbeBackoff.delay(afterFailedProbes: probe.failedProbes), counts: false)
            case .answered, .credentialRefused:
                if let attempt, let call { await noteAcceptance(by: call, in: attempt) }
                if try await store.open(probe.lane, window: configuration.breaker.window) {
                    logger.notice("gate opened: a probe was answered", metadata: metadata(probe.lane))
                }
                cache.replace(with: try await store.list())
            case .limited(let delay):
                try await store.fail(probe, nextAfter: delay, counts: true)
            case .misconfigured(let why) where probe.closedBy != .configuration:
                // The service answers again, but our configuration is at fault: an operator has to mend it.
                await close(probe.lane, by: .configuration, why: why)
            case .failed, .misconfigured:
                try await store.fail(
                    probe, nextAfter: ProbeBackoff.delay(afterFailedProbes: probe.failedProbes + 1), counts: true)
            case nil:
                // The job was never sent to the service: nothing is known.
                try await store.fail(probe, nextAfter: .seconds(1), counts: false)
            }
        } catch {
            // The right to probe lapses by itself.
            logger.debug("could not end a probe", metadata: ["error": "\(error)"])
        }
        if let attempt { await record(attempt, but: probe.lane) }
    }

    private func noteAcceptance(by call: Attempt.Call, in attempt: Attempt) async {
        guard let use = call.accepted, cache.takeAcceptance(of: use) else { return }
        do {
            try await store.noteAcceptance(of: use, for: attempt.settlement.job)
        } catch {
            cache.forgetAcceptance(of: use)
            logger.debug("could not note an accepted credential", metadata: ["error": "\(error)"])
        }
    }

    private func count(_ result: Breaker.CallResult, _ lane: LaneID, _ attempt: Attempt) -> Breaker.Action {
        // Only work for an order makes calls.
        guard let account = attempt.settlement.job.work.ordered?.order.accountID else { return .none }
        return breakers.withLock { breakers in
            breakers[lane, default: Breaker(configuration.breaker)].record(result, account: account, at: .now)
        }
    }

    private func close(
        _ lane: LaneID, by closer: Gate.Closer, why: String, firstProbe: Duration = ProbeBackoff.delay(afterFailedProbes: 0)
    ) async {
        do {
            if try await store.close(lane, by: closer, for: name, why: why, firstProbe: firstProbe) {
                var facts = metadata(lane)
                facts["why"] = "\(why)"
                switch closer {
                case .configuration: logger.error("gate closed: our configuration is at fault", metadata: facts)
                case .budget: logger.warning("gate closed: the App Store is called too often", metadata: facts)
                case .breaker, .operator: logger.warning("gate closed: the App Store is failing", metadata: facts)
                }
            }
            cache.replace(with: try await store.list())
        } catch {
            logger.warning("could not close a gate", metadata: ["error": "\(error)"])
        }
    }

    private func metadata(_ lane: LaneID) -> Logger.Metadata {
        guard let gate = cache[lane] else { return ["lane": "\(lane.rawValue)"] }
        return [
            "lane": "\(lane.rawValue)", "bundle.id": "\(gate.bundleID.rawValue)",
            "route": "\(gate.endpoint.route.rawValue)", "environment": "\(gate.endpoint.environment?.rawValue ?? "any")",
        ]
    }
}
