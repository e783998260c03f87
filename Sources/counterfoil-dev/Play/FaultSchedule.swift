// SPDX-License-Identifier: Apache-2.0

import AppStoreSimulator
import FoundationEssentials

/// How the simulated App Store behaves while purchases come in: slow as in life, faulty now and then, and out of order in
/// bursts.
enum FaultSchedule {
    /// - Parameters:
    ///   - start: when the first purchase begins.
    ///   - span: seconds until the last one begins; the bursts lie within.
    static func verifyReceipt(from start: Date, span: Double) -> FaultPlan {
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
            windows: [
                burst(.http(code: 503), at: 0.30, length: 0.10, of: span, from: start),
                burst(.disconnect, at: 0.50, length: 0.06, of: span, from: start),
                burst(.html, at: 0.65, length: 0.08, of: span, from: start),
                burst(.stall, at: 0.85, length: 0.02, of: span, from: start),
            ]
        )
    }

    /// For any endpoint of the App Store Server API; parameters as in ``verifyReceipt(from:span:)``.
    static func serverAPI(from start: Date, span: Double) -> FaultPlan {
        var tooMany = burst(.http(code: 429), at: 0.70, length: 0.08, of: span, from: start)
        // As Apple does: the moment of the next call, in milliseconds.
        tooMany.fault = .error(
            code: 4_290_000, retryAfter: String(Int64((tooMany.until.timeIntervalSince1970 * 1000).rounded(.up))))
        return FaultPlan(
            latency: .lognormal(median: .milliseconds(150), sigma: 0.5),
            faults: [
                .init(.error(code: 5_000_001), probability: 0.015),
                .init(.error(code: 5_000_000), probability: 0.005),
                .init(.empty(code: 503), probability: 0.01),
                .init(.error(code: 4_040_002), probability: 0.003),
                .init(.reset, probability: 0.005),
                .init(.disconnect, probability: 0.003),
                .init(.stall, probability: 0.002),
            ],
            windows: [
                burst(.error(code: 5_000_001), at: 0.20, length: 0.10, of: span, from: start),
                burst(.stall, at: 0.42, length: 0.02, of: span, from: start),
                burst(.reset, at: 0.56, length: 0.06, of: span, from: start),
                tooMany,
                burst(.empty(code: 502), at: 0.88, length: 0.04, of: span, from: start),
            ]
        )
    }

    /// A fault that befalls every call for a part of the span, and for two seconds at most.
    private static func burst(
        _ fault: Fault, at part: Double, length: Double, of span: Double, from start: Date
    ) -> FaultPlan.Window {
        let begin = start.addingTimeInterval(span * part)
        return FaultPlan.Window(fault, from: begin, until: begin.addingTimeInterval(min(2, span * length)))
    }
}
