// SPDX-License-Identifier: Apache-2.0

import Observability
import VerificationQueue

extension PrometheusFamily {
    /// The worker's own description, as the exposition takes it.
    init(_ metric: Metric) {
        let kind: Kind =
            switch metric.kind {
            case .counter: .counter
            case .gauge: .gauge
            case .histogram(let bounds): .histogram(bounds: bounds)
            }
        self.init(name: metric.name, kind: kind, help: metric.help)
    }
}
