// SPDX-License-Identifier: Apache-2.0

/// An endpoint in an environment.
package struct CallTarget: Hashable, Codable, Sendable {
    package var endpoint: Endpoint
    package var environment: SimulatedEnvironment

    package init(_ endpoint: Endpoint, _ environment: SimulatedEnvironment) {
        self.endpoint = endpoint
        self.environment = environment
    }
}
