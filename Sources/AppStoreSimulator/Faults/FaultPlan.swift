// SPDX-License-Identifier: Apache-2.0

package import FoundationEssentials

/// What goes wrong at one endpoint of one environment, and how slow it is.
///
/// For each call, in this order: a window of time that is open; else the next entry of ``nextCalls``; else one draw
/// against the probabilities. The latency is added in every case.
///
/// As JSON every field may be left out:
/// ```json
/// {"latency": {"medianMilliseconds": 300, "sigma": 0.5},
///  "faults": [{"probability": 0.05, "fault": {"kind": "http", "code": 503}}],
///  "nextCalls": [{"kind": "stall"}, null],
///  "windows": [{"from": "2026-01-31T09:00:00Z", "until": "2026-01-31T10:00:00Z",
///               "fault": {"kind": "http", "code": 503}}]}
/// ```
package struct FaultPlan: Sendable, Equatable, Codable {
    /// A fault that befalls a share of the calls.
    package struct Risk: Sendable, Equatable, Codable {
        /// Between 0 and 1; the probabilities of a plan add up to 1 at most.
        package var probability: Double
        package var fault: Fault

        package init(_ fault: Fault, probability: Double) {
            self.probability = probability
            self.fault = fault
        }
    }

    /// A fault that befalls every call from one moment until before another.
    package struct Window: Sendable, Equatable, Codable {
        package var from: Date
        package var until: Date
        package var fault: Fault

        package init(_ fault: Fault, from: Date, until: Date) {
            self.from = from
            self.until = until
            self.fault = fault
        }
    }

    package var latency: Latency
    package var faults: [Risk]
    /// What befalls the calls that come next, one after the other; nil lets a call pass unharmed.
    package var nextCalls: [Fault?]
    package var windows: [Window]

    package init(
        latency: Latency = .none, faults: [Risk] = [], nextCalls: [Fault?] = [], windows: [Window] = []
    ) {
        self.latency = latency
        self.faults = faults
        self.nextCalls = nextCalls
        self.windows = windows
    }

    /// A plan by which every call suffers the same fault.
    package static func always(_ fault: Fault) -> FaultPlan {
        FaultPlan(faults: [Risk(fault, probability: 1)])
    }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            latency: try container.decodeIfPresent(Latency.self, forKey: .latency) ?? .none,
            faults: try container.decodeIfPresent([Risk].self, forKey: .faults) ?? [],
            nextCalls: try container.decodeIfPresent([Fault?].self, forKey: .nextCalls) ?? [],
            windows: try container.decodeIfPresent([Window].self, forKey: .windows) ?? []
        )
    }

    /// Whether the probabilities are probabilities: none below 0, their sum not above 1.
    package var isConsistent: Bool {
        faults.allSatisfy { $0.probability >= 0 } && faults.reduce(0) { $0 + $1.probability } <= 1 + 1e-9
    }
}
