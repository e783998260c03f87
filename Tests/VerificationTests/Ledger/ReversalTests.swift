// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Testing
import Verification

/// When a proof, or Apple's present word, stands against a refund of the ledger.
@Suite struct ReversalTests {
    private static let refundedAt = Date(timeIntervalSince1970: 1_750_000_000)

    /// A payment that Apple refunded; the ledger learnt of it after `delay` seconds.
    private func facts(learntAfter delay: TimeInterval = 60) -> LedgerFacts {
        LedgerFacts(
            refund: LedgerFacts.Refund(asOf: Self.refundedAt, recordedAt: Self.refundedAt.addingTimeInterval(delay)),
            orderState: .open)
    }

    private func payment(
        revoked share: Revocation.Share? = nil, isConfirmed: Bool = false, signedAfter seconds: TimeInterval? = nil
    ) -> ShownPayment {
        var transaction = makeTransaction("1")
        transaction.revocation = share.map {
            Revocation(.signedTransaction, date: Self.refundedAt, share: $0, asOf: Self.refundedAt)
        }
        return ShownPayment(
            transaction, isConfirmed: isConfirmed, signedAt: seconds.map { Self.refundedAt.addingTimeInterval($0) })
    }

    @Test func onlyAProofThatIsNewerThanTheRefundMayShowItsReversal() {
        #expect(facts().mayBeReversed(by: payment(signedAfter: 0.001)))
        #expect(!facts().mayBeReversed(by: payment(signedAfter: 0)))
        #expect(!facts().mayBeReversed(by: payment(signedAfter: -1)))
        #expect(!facts().mayBeReversed(by: payment(signedAfter: nil)))
        #expect(facts().mayBeReversed(by: payment(isConfirmed: true)))
        #expect(!facts().mayBeReversed(by: payment(revoked: .whole, isConfirmed: true, signedAfter: 1)))
        #expect(!LedgerFacts(orderState: .open).mayBeReversed(by: payment(isConfirmed: true, signedAfter: 1)))
    }

    private func isReversed(_ payment: ShownPayment, learntAfter delay: TimeInterval = 60, asked seconds: TimeInterval) -> Bool {
        facts(learntAfter: delay).isReversed(by: payment, askedAfter: Self.refundedAt.addingTimeInterval(seconds))
    }

    @Test func appleReversesARefundThatTheLedgerHadLearntOfBeforeAppleWasAsked() {
        #expect(isReversed(payment(isConfirmed: true), learntAfter: 3_599, asked: 3_600))
        #expect(!isReversed(payment(isConfirmed: true), learntAfter: 3_600, asked: 3_600))
    }

    @Test func appleReversesNoRefundOfTheLastTenMinutes() {
        #expect(LedgerFacts.staleWordWindow == 600)
        #expect(isReversed(payment(isConfirmed: true), asked: 600))
        #expect(!isReversed(payment(isConfirmed: true), asked: 599))
    }

    @Test func aProofAloneReversesNothing() {
        #expect(!isReversed(payment(signedAfter: 3_000), asked: 3_600))
    }

    @Test(arguments: [Revocation.Share.whole, .part(40_000), .unknown])
    func whatIsStillRefundedIsNotReversed(_ share: Revocation.Share) {
        #expect(!isReversed(payment(revoked: share, isConfirmed: true), asked: 3_600))
    }
}
