// SPDX-License-Identifier: Apache-2.0

import AppStore
import Verification

extension Examination {
    /// The most memory that one proof of the usual size may take, in bytes.
    package static let memory = 64 << 20

    /// How often a costly reading is tried: whoever shares the processor or the memory makes it look dearer.
    private static let readings = 4

    /// The verdict on a mutated proof, with the time and memory that it took.
    ///
    /// All of it happens on the calling thread, and is over when this returns.
    package func finding(on proof: MutatedProof) -> MutationFinding {
        var time = Duration.seconds(3600)
        var memory = Int.max
        var finding = MutationFinding(outcome: .refused, reason: nil, fault: nil)
        for _ in 0..<Self.readings where time > Self.time || memory > Self.memory {
            let start = ThreadTime.now
            let used = ProcessMemory.growth {
                finding = proof.expectation.finding(on: answer(to: proof.text))
            }
            time = min(time, ThreadTime.now - start)
            memory = min(memory, used)
            if finding.fault != nil { return finding }
        }
        if time > Self.time { return finding.faulty("it took \(time)") }
        return memory > Self.memory ? finding.faulty("it took \(memory) bytes") : finding
    }

    private func read(_ text: String) throws(Reason) -> Proof {
        do {
            return try proofs.read(text).proof
        } catch {
            throw error.reason
        }
    }

    private func answer(to text: String) -> Result<VerifiedTransactions, Reason> {
        CallerExecutor.run {
            do throws(Reason) {
                switch try read(text) {
                case .signedTransaction(let jws): return .success(try await signedTransactions.verify(jws, now: now))
                case .appReceipt(let base64): return .success(try await appReceipts.verify(base64, now: now))
                case .transactionID: return .failure(.malformedProof)
                }
            } catch {
                return .failure(error)
            }
        }
    }
}

extension MutationFinding {
    fileprivate func faulty(_ fault: String) -> MutationFinding {
        MutationFinding(outcome: outcome, reason: reason, fault: fault)
    }
}
