// SPDX-License-Identifier: Apache-2.0

import AppStore
import FoundationEssentials
import Fuzzing
import Specimens
import Testing
import Verification

/// Proofs with one field changed in every way, under a signature that holds and under those that don't: each comes to the verdict
/// that a rule demands.
///
/// One suite at a time, because each proof's memory is measured. With `COUNTERFOIL_MUTATED_PROOFS` set to the name of a folder, the
/// verdicts by field are written into it.
@Suite(.serialized)
struct MutatedProofTests {
    /// A rule that is broken is broken for many proofs alike.
    private static let shownFaults = 60

    private let source: SpecimenSource
    private let examination: Examination

    init() throws {
        source = try SpecimenSource()
        let root = try ExtraRoot(certificate: source.root, bundleIDs: Set(MutatedTransactions.bundleIDs))
        examination = Examination(trusting: TrustAnchors(further: [root]))
    }

    @Test
    func mutatedSignedTransactionComesToTheVerdictOfItsRule() throws {
        let proofs = try MutatedTransactions(source).proofs()

        #expect(proofs.count >= 2000)
        try examine(proofs, .signedTransaction)
    }

    @Test
    func mutatedReceiptComesToTheVerdictOfItsRule() throws {
        let proofs = try MutatedReceipts(source).proofs()

        #expect(proofs.count >= 1000)
        try examine(proofs, .receipt)
    }

    /// Every field is changed in every way that its form knows, and stands under each signature.
    @Test
    func everyFieldIsChangedInEveryWay() throws {
        let proofs = try MutatedTransactions(source).proofs() + MutatedReceipts(source).proofs()

        for (field, changed) in Dictionary(grouping: proofs, by: { "\($0.form.rawValue) \($0.field)" }) {
            let mutations = Set(changed.map(\.mutation))
            let expected: Set<MutatedProof.Mutation> = [.null, .wrongType, .empty, .huge, .negative, .nul, .unknownValue, .fraction]
            #expect(mutations.isSuperset(of: expected), "\(field)")
            #expect(Set(changed.map(\.signing)) == Set(MutatedProof.Signing.allCases), "\(field)")
        }
    }

    private func examine(_ proofs: [MutatedProof], _ form: MutatedProof.Form) throws {
        var table = MutationTable()
        var faults: [String] = []
        for proof in proofs {
            let finding = examination.finding(on: proof)
            table.count(proof, finding)
            if let fault = finding.fault { faults.append("\(proof.title): \(fault)") }
        }
        for fault in faults.prefix(Self.shownFaults) { Issue.record("\(fault)") }
        #expect(faults.isEmpty, "\(faults.count) of \(proofs.count)")
        guard let folder = ProcessInfo.processInfo.environment["COUNTERFOIL_MUTATED_PROOFS"] else { return }
        let name = form.rawValue.replacing(" ", with: "-") + "s.md"
        try Data(table.text.utf8).write(to: URL(filePath: folder, directoryHint: .isDirectory).appending(path: name))
    }
}
