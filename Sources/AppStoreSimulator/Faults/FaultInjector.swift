// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Synchronization

/// Draws what befalls each call, from one seeded generator for all endpoints.
///
/// The same seed and the same order of calls give the same faults and latencies.
final class FaultInjector: Sendable {
    /// What befalls one call.
    struct Injection: Equatable, Sendable {
        var latency: Duration = .zero
        var fault: Fault?
    }

    private struct State {
        var generator: SeededGenerator
        var plans: [CallTarget: FaultPlan] = [:]
    }

    private let state: Mutex<State>

    init(seed: UInt64) {
        state = Mutex(State(generator: SeededGenerator(seed: seed)))
    }

    /// Replaces the plan of a target; calls that have drawn already keep what they drew.
    func setPlan(_ plan: FaultPlan, for target: CallTarget) {
        state.withLock { $0.plans[target] = plan }
    }

    /// What befalls a call that has arrived at `now`.
    func draw(for target: CallTarget, at now: Date) -> Injection {
        state.withLock { state in
            guard var plan = state.plans[target] else { return Injection() }
            let latency = plan.latency.draw(using: &state.generator)
            if let window = plan.windows.first(where: { $0.from <= now && now < $0.until }) {
                return Injection(latency: latency, fault: window.fault)
            }
            if !plan.nextCalls.isEmpty {
                let fault = plan.nextCalls.removeFirst()
                state.plans[target] = plan
                return Injection(latency: latency, fault: fault)
            }
            return Injection(latency: latency, fault: Self.pick(from: plan.faults, using: &state.generator))
        }
    }

    private static func pick(from risks: [FaultPlan.Risk], using generator: inout SeededGenerator) -> Fault? {
        guard !risks.isEmpty else { return nil }
        var remaining = generator.unit()
        for risk in risks {
            remaining -= risk.probability
            if remaining < 0 { return risk.fault }
        }
        return nil
    }
}
