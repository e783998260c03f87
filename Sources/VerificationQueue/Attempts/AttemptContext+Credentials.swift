// SPDX-License-Identifier: Apache-2.0

import Verification

/// Secrets and keys that Apple refuses: for all proofs, or for the one that was asked about.
extension AttemptContext {
    /// The app's credential on an endpoint, for a call that begins now; nil if the call bears none.
    func credential(at endpoint: Endpoint, _ lane: LaneID, isNeeded: Bool) -> CredentialUse? {
        runner.verifier.credential(of: bundleID, on: endpoint.route).map {
            CredentialUse($0, lane: lane, isNeeded: isNeeded)
        }
    }

    /// Notes a refusal for all workers, and finds out what it says.
    ///
    /// - Parameter use: nil where the credential couldn't be read: our set-up is at fault then.
    func standing(of use: CredentialUse?) async throws(Conclusion) -> CredentialStanding {
        guard let use else { return CredentialStanding(isAccepted: false) }
        do {
            return try await runner.noteRefusal(use, job)
        } catch {
            // Handed back at once it would ask Apple again and again.
            throw Conclusion(
                settlement: Settlement(
                    job, .wait(.snooze(for: runner.retry.missingDelay), .credentialRefused, lane: nil),
                    message: "a refused credential could not be noted", proofKind: proofKind, environment: environment))
        }
    }

    /// Ends the attempt after Apple refused a credential.
    ///
    /// - Parameters:
    ///   - name: the credential, to begin a sentence with.
    ///   - lane: the lane of the call that it was refused in.
    mutating func refused(_ name: String, _ standing: CredentialStanding, in lane: LaneID) -> Conclusion {
        let message: String
        switch standing.fault {
        case .credential:
            message =
                if standing.isAccepted {
                    "\(name) is refused for all proofs, the last \(standing.refusedOrders) orders' among them, and was accepted before: "
                        + "renew it if that goes on"
                } else if standing.isFormer {
                    "\(name) is refused, and was accepted until another one was: a worker still has the former one, put the new one "
                        + "into its file"
                } else {
                    "\(name) is refused, and was never accepted: renew it"
                }
            calls.append(Attempt.Call(lane: lane, result: .misconfigured(message)))
        case .unknown:
            message = "\(name) is refused for this proof; other proofs will show whether for all"
            calls.append(Attempt.Call(lane: lane, result: .credentialRefused))
        case .proof:
            message = "\(name) is refused for this proof only; others pass"
            calls.append(Attempt.Call(lane: lane, result: .credentialRefused))
        }
        // An operator may have renewed it, and an open gate is never probed.
        runner.verifier.reloadCredentials()
        return conclusion(standing, message, lane: lane)
    }

    /// Apple doesn't know a payment whose signature was verified here. By a key that finds nobody's, the job waits behind the
    /// closed gate.
    ///
    /// The id of a bare proof never gets here: anybody can make one up.
    mutating func noteUnfound(_ id: TransactionID) async throws(Conclusion) {
        guard let call = calls.last, let use = call.accepted, !runner.gates.hasFound(by: use.credential, for: bundleID),
            !calls.contains(where: { $0.accepted?.finds == true })
        else { return }
        // If it can't be noted, the next check notes it.
        guard let standing = try? await runner.noteUnfound(id, use, job) else { return }
        switch standing.fault {
        case .proof: return
        case .unknown: isByUnprovenKey = true
        case .credential:
            calls[calls.endIndex - 1] = Attempt.Call(lane: call.lane, result: .misconfigured(standing.message))
            // An operator may have replaced it.
            runner.verifier.reloadCredentials()
            throw conclusion(ofForeignKey: standing, lane: call.lane)
        }
    }

    @inline(never)  // See "Judge" in Verify.swift.
    private func conclusion(ofForeignKey standing: KeyStanding, lane: LaneID) -> Conclusion {
        if Task.isCancelled { return released(to: lane, "stopped while it ran") }
        return Conclusion(
            settlement: Settlement(
                job, action(runner.retry.decideForeignKey(), lane: lane), message: standing.message, proofKind: proofKind,
                environment: environment))
    }

    @inline(never)  // See "Judge" in Verify.swift.
    private func conclusion(_ standing: CredentialStanding, _ message: String, lane: LaneID) -> Conclusion {
        if Task.isCancelled { return released(to: lane, "stopped while it ran") }
        var generator = SystemRandomNumberGenerator()
        let decision = runner.retry.decideRefusedCredential(
            standing, uncertainAttempts: job.uncertainAttempts, using: &generator)
        return Conclusion(
            settlement: Settlement(
                job, action(decision, lane: lane), message: message, proofKind: proofKind, environment: environment,
                uncertain: standing.fault == .proof))
    }
}
