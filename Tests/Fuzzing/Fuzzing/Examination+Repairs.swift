// SPDX-License-Identifier: Apache-2.0

import AppStore
import FoundationEssentials
import Verification

/// The rules of repairs.
extension Examination {
    /// Longer proofs are too dear to be wrapped in all ways.
    private static let wrappedLength = 16 * 1024

    /// Each is timed by itself.
    func proofReadings(of text: String) -> [() -> Violation?] {
        [{ proofViolation(text) }, { repairViolation(text) }, { repairedProofViolation(text) }]
    }

    /// Each repair is made once, at most as many wrappings are taken off as the limit says, and a proof reads the same with and
    /// without them.
    func repairViolation(_ text: String) -> Violation? {
        guard let found = try? proofs.read(text) else { return nil }
        guard Set(found.repairs).count == found.repairs.count else { return .impossible("a repair twice: \(found.repairs)") }
        let clean = Self.text(of: found.proof)
        guard found.proof.kind != .transactionID, clean.utf8.count <= Self.wrappedLength else { return nil }
        // Which ones is up to the proof, so that the same proof always gets the same ones.
        let seed = clean.utf8.suffix(100).reduce(5381) { ($0 &* 33 &+ Int($1)) & 0xFFFFFF }
        let outer = ProofWrapping.allCases[seed % ProofWrapping.allCases.count]
        let inner = ProofWrapping.allCases[seed / 64 % ProofWrapping.allCases.count]
        // Wrapped text isn't broken into lines: a code could be cut in two.
        let soiling = [ProofSoiling.byteOrderMark, .noBreakSpaces, .zeroWidthSpaces][seed / 4096 % 3]
        let wrapped = [
            outer.applied(to: clean), outer.applied(to: inner.applied(to: clean)), soiling.applied(to: clean),
            soiling.applied(to: outer.applied(to: clean)),
        ]
        for (number, text) in wrapped.enumerated() where (try? proofs.read(text))?.proof != found.proof {
            return .contradiction("\(number) of \(outer), \(inner), \(soiling) reads otherwise")
        }
        return layerViolation(clean, found.proof)
    }

    /// Three layers are taken off, and four never.
    private func layerViolation(_ clean: String, _ proof: Proof) -> Violation? {
        let three = (0..<proofs.limits.layers).reduce(clean) { text, _ in ProofWrapping.jsonArray.applied(to: text) }
        guard (try? proofs.read(three))?.proof == proof else { return .contradiction("\(proofs.limits.layers) layers are too many") }
        let four = ProofWrapping.jsonArray.applied(to: three)
        return (try? proofs.read(four)) == nil ? nil : .impossible("\(proofs.limits.layers + 1) layers were taken off")
    }

    /// A proof that was repaired is verified only if the signature holds.
    func repairedProofViolation(_ text: String) -> Violation? {
        guard let found = try? proofs.read(text) else { return nil }
        switch found.proof {
        case .signedTransaction(let jws): return signedTransactionViolation(jws)
        case .appReceipt(let base64): return appReceiptViolation(base64)
        case .transactionID: return nil
        }
    }

    /// The proof in the form that needs no repair.
    static func text(of proof: Proof) -> String {
        switch proof {
        case .signedTransaction(let jws): jws
        case .appReceipt(let base64): base64
        case .transactionID(let id): id.rawValue
        }
    }
}
