// SPDX-License-Identifier: Apache-2.0

import Synchronization
package import Verification

/// What this worker knows of all gates; replaced whole each time they are read.
package final class GateBook: Sendable {
    private struct Name: Hashable {
        let bundleID: BundleID
        let endpoint: Endpoint
    }

    private struct Contents {
        var gates: [LaneID: Gate] = [:]
        var lanes: [Name: LaneID] = [:]
        var open: [LaneID] = []
    }

    private let contents = Mutex(Contents())

    package init() {}

    package func replace(with gates: [Gate]) {
        var next = Contents()
        for gate in gates {
            next.gates[gate.lane] = gate
            next.lanes[Name(bundleID: gate.bundleID, endpoint: gate.endpoint)] = gate.lane
            if gate.isOpen {
                next.open.append(gate.lane)
            }
        }
        contents.withLock { $0 = next }
    }

    package subscript(lane: LaneID) -> Gate? {
        contents.withLock { $0.gates[lane] }
    }

    /// The gate that an app's calls to an endpoint pass.
    package func gate(of endpoint: Endpoint, for bundleID: BundleID) -> Gate? {
        contents.withLock { contents in
            contents.lanes[Name(bundleID: bundleID, endpoint: endpoint)].flatMap { contents.gates[$0] }
        }
    }

    /// The open lanes, in the order of their ids.
    package var openLanes: [LaneID] {
        contents.withLock { $0.open }
    }
}
