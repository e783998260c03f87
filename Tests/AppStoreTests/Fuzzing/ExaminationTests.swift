// SPDX-License-Identifier: Apache-2.0

import AppStoreSimulator
import FoundationEssentials
import Fuzzing
import Specimens
import Testing
import Verification

/// That the examination notices what it is there to notice: under a signature that holds, with marks that don't.
@Suite
struct ExaminationTests {
    private let source: SpecimenSource
    private let examination: Examination

    init() throws {
        source = try SpecimenSource()
        examination = Examination(trusting: try source.anchors)
    }

    private func transaction(quantity: Int) -> SimulatedTransaction {
        SimulatedTransaction(
            productId: GenuinePurchase.productID.rawValue, bundleId: GenuinePurchase.bundleID.rawValue,
            quantity: quantity, transactionId: GenuinePurchase.transactionIDs[0])
    }

    @Test
    func genuineSignedTransactionIsRecognised() throws {
        let jws = try transaction(quantity: GenuinePurchase.quantity).signedTransaction(by: source.authority)

        #expect(examination.violation(by: .signedTransaction, on: Array(jws.utf8)) == nil)
    }

    @Test
    func signedTransactionOfAnotherQuantityIsNoticed() throws {
        let jws = try transaction(quantity: GenuinePurchase.quantity + 1).signedTransaction(by: source.authority)

        guard case .believed? = examination.violation(by: .signedTransaction, on: Array(jws.utf8)) else {
            Issue.record("not noticed")
            return
        }
    }

    @Test
    func receiptOfAnotherQuantityIsNoticed() throws {
        let receipt = SimulatedReceipt(
            bundleId: GenuinePurchase.bundleID.rawValue,
            transactions: [transaction(quantity: GenuinePurchase.quantity + 1)])

        let violation = examination.violation(by: .appReceipt, on: try receipt.signedBytes(by: source.authority))

        guard case .believed? = violation else {
            Issue.record("not noticed")
            return
        }
    }

    @Test
    func slownessIsNoticed() throws {
        let impatient = Examination(trusting: try source.anchors, slowness: 0)

        guard case .slow? = impatient.violation(by: .proofReader, on: Array("430000000000001".utf8)) else {
            Issue.record("not noticed")
            return
        }
    }
}
