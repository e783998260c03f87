// SPDX-License-Identifier: Apache-2.0

import AppStoreSimulator
import FoundationEssentials

/// How the simulated App Store behaves while purchases come in: slow as in life, faulty now and then, and out of order in
/// bursts.
enum FaultSchedule {
    /// - Parameters:
    ///   - start: when the first purchase begins.
    ///   - span: seconds until the last one begins; the bursts lie within.
    static func plan(from start: Date, span: Double) -> FaultPlan {
        FaultPlan(
            latency: .lognormal(median: .milliseconds(300), sigma: 0.5),
            faults: [
                .init(.http(code: 503), probability: 0.02),
                .init(.status(code: 21009), probability: 0.01),
                .init(.status(code: 21005), probability: 0.005),
                .init(.status(code: 21104, retryable: RetryableField(.dashed, .number(1))), probability: 0.003),
                .init(.status(code: 21002), probability: 0.003),
                .init(.reset, probability: 0.005),
                .init(.truncatedJSON, probability: 0.003),
                .init(.stall, probability: 0.002),
            ],
            windows: bursts.map { burst in
                let begin = start.addingTimeInterval(span * burst.from)
                return .init(burst.fault, from: begin, until: begin.addingTimeInterval(min(2, span * burst.length)))
            }
        )
    }

    private static let bursts: [(from: Double, length: Double, fault: Fault)] = [
        (0.30, 0.10, .http(code: 503)),
        (0.50, 0.06, .disconnect),
        (0.65, 0.08, .html),
        (0.85, 0.02, .stall),
    ]
}
