// SPDX-License-Identifier: Apache-2.0

import Synchronization
package import Verification

/// All gates, as this worker read them last; each reading replaces all of them.
package final class GateCache: Sendable {
    private struct Name: Hashable {
        let bundleID: BundleID
        let endpoint: Endpoint
    }

    private struct Contents {
        var gates: [LaneID: Gate] = [:]
        var lanes: [Name: LaneID] = [:]
        var open: [LaneID] = []
        var isRead = false
    }

    private let contents = Mutex(Contents())
    /// The credential of each lane that this worker noted as accepted.
    private let accepted = Mutex<[LaneID: CredentialDigest]>([:])
    /// The key of each lane by which Apple found a payment, and that this worker noted as such.
    private let finding = Mutex<[LaneID: CredentialDigest]>([:])
    private let isMended = Mutex(false)

    package init() {}

    package func replace(with gates: [Gate]) {
        var next = Contents(isRead: true)
        for gate in gates {
            next.gates[gate.lane] = gate
            next.lanes[Name(bundleID: gate.bundleID, endpoint: gate.endpoint)] = gate.lane
            if gate.isOpen {
                next.open.append(gate.lane)
            }
        }
        let mended = contents.withLock { contents in
            defer { contents = next }
            return next.open.contains { contents.gates[$0]?.closedBy == .configuration }
        }
        if mended {
            isMended.withLock { $0 = true }
        }
    }

    /// Whether a gate that was closed for a fault of configuration was found open since the last call.
    ///
    /// Another worker probed with the new credential; this worker may still hold the old one.
    package func takeMended() -> Bool {
        isMended.withLock { isMended in
            defer { isMended = false }
            return isMended
        }
    }

    /// Whether an accepted credential is to be noted for all workers: the first time in each lane, the first time that it finds a
    /// payment, and after a refusal that it says something about. Good proofs cost no statement otherwise. The caller notes it.
    package func takeAcceptance(of use: CredentialUse) -> Bool {
        let isFirst = accepted.withLock { $0.updateValue(use.credential, forKey: use.lane) != use.credential }
        let isFirstFind =
            use.finds && finding.withLock { $0.updateValue(use.credential, forKey: use.lane) != use.credential }
            && self[use.lane]?.findingKey != use.credential
        let isNew = isFirst || isFirstFind
        return contents.withLock { contents in
            guard let gate = contents.gates[use.lane] else { return false }
            let refusals = gate.refusals
            guard isNew || refusals.all > 0 || use.isNeeded && refusals.needed > 0 else { return false }
            // Until the gates are read again, others needn't note the same.
            contents.gates[use.lane] = gate.with(
                refusals: Gate.Refusals(all: 0, needed: use.isNeeded ? 0 : refusals.needed))
            return true
        }
    }

    /// Forgets an acceptance that could not be noted.
    func forgetAcceptance(of use: CredentialUse) {
        accepted.withLock { $0[use.lane] = nil }
        finding.withLock { $0[use.lane] = nil }
    }

    /// Whether Apple found a payment of an app by this key, in either environment.
    func hasFound(by key: CredentialDigest, for bundleID: BundleID) -> Bool {
        contents.withLock { contents in
            contents.gates.values.contains { $0.findingKey == key && $0.bundleID == bundleID }
        }
    }

    package subscript(lane: LaneID) -> Gate? {
        contents.withLock { $0.gates[lane] }
    }

    /// Whether the gates have been read at all.
    package var isRead: Bool {
        contents.withLock { $0.isRead }
    }

    /// All gates, in no order.
    package var gates: [Gate] {
        contents.withLock { Array($0.gates.values) }
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
