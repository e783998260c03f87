// SPDX-License-Identifier: Apache-2.0

import Verification

/// An attempt that tells Apple that a granted transaction is finished. The order stays as it is, whatever Apple answers.
///
/// | Step | Does | Concludes the attempt early when |
/// |---|---|---|
/// | turn | waits for its turn in the budget that all workers share | the budget is spent |
/// | tell | tells Apple, in the environment of the job's lane | the call fails; the key is refused, which is noted for all workers |
/// | settle | ends the job | |
struct Finish {
    let granted: Granted
    var attempt: AttemptContext

    mutating func run() async throws(Conclusion) -> Settlement {
        guard let gate = attempt.gate, let environment = gate.endpoint.environment else {
            throw attempt.released(to: nil, "no gate for this follow-up")
        }
        attempt.environment = environment
        let lane = attempt.job.lane
        let use = attempt.credential(at: gate.endpoint, lane, isNeeded: true)
        let (verifier, metrics) = (attempt.runner.verifier, attempt.runner.callMetrics)
        let endpoint = Endpoint(route: .finishTransaction, environment: environment)
        let (id, bundleID, deadline) = (granted.transaction, attempt.bundleID, attempt.deadline)
        let answer = try await attempt.inTurn(.finishTransaction, environment, lane) { latestStart throws(VerificationFailure) in
            try await metrics.measure(endpoint) { () throws(VerificationFailure) in
                try await verifier.finish(id, bundleID: bundleID, in: environment, startingBy: latestStart, deadline: deadline)
            }
        }
        switch answer {
        case .success:
            attempt.calls.append(Attempt.Call(lane: lane, result: .answered, accepted: use?.finding(true)))
            return Settlement(attempt.job, .end(.unchanged), environment: environment)
        case .failure(let error) where error.kind == .credentialRefused:
            throw attempt.refused("the key of the App Store Server API", try await attempt.standing(of: use), in: lane)
        case .failure(let error):
            attempt.calls.append(Attempt.Call(lane: lane, result: Attempt.Call.Result(error)))
            throw attempt.failed(error, lane: lane)
        }
    }
}
