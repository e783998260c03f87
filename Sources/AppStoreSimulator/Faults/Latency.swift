// SPDX-License-Identifier: Apache-2.0

import Glibc

/// How long an answer takes before anything of it is sent.
///
/// As JSON: `{"fixedMilliseconds": 50}`, or `{"medianMilliseconds": 300, "sigma": 0.5}` for a lognormal distribution.
package enum Latency: Sendable, Equatable {
    case none
    case fixed(Duration)
    /// The logarithm is normally distributed around the median's; with a sigma of 0.5 one call in forty takes more than
    /// 2.7 medians, with 1.0 more than 7.
    case lognormal(median: Duration, sigma: Double)

    /// No drawn latency is longer, however wide the distribution.
    static let maximum = Duration.seconds(600)

    /// One draw.
    func draw(using generator: inout SeededGenerator) -> Duration {
        switch self {
        case .none:
            return .zero
        case .fixed(let duration):
            return duration
        case .lognormal(let median, let sigma):
            // Box-Muller; 1 - u keeps the logarithm away from zero.
            let radius = (-2 * log(1 - generator.unit())).squareRoot()
            let normal = radius * cos(2 * Double.pi * generator.unit())
            return min(median * exp(sigma * normal), Self.maximum)
        }
    }
}

extension Latency: Codable {
    private enum CodingKeys: String, CodingKey {
        case fixedMilliseconds, medianMilliseconds, sigma
    }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        if let fixed = try container.decodeIfPresent(Double.self, forKey: .fixedMilliseconds) {
            self = .fixed(.milliseconds(fixed))
        } else if let median = try container.decodeIfPresent(Double.self, forKey: .medianMilliseconds) {
            self = .lognormal(
                median: .milliseconds(median), sigma: try container.decodeIfPresent(Double.self, forKey: .sigma) ?? 0.5)
        } else {
            self = .none
        }
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        switch self {
        case .none:
            break
        case .fixed(let duration):
            try container.encode(duration / .milliseconds(1), forKey: .fixedMilliseconds)
        case .lognormal(let median, let sigma):
            try container.encode(median / .milliseconds(1), forKey: .medianMilliseconds)
            try container.encode(sigma, forKey: .sigma)
        }
    }
}
