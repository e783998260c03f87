// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import Testing
import Verification

@testable import Rehearsal

/// Each answer is judged by what was true when it was given, however well all ends.
@Suite struct AnswerJudgeTests {
    /// One moment of a story that ends well at which a client is told what is wrong.
    struct Mutant: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let rule: WrongAnswer.Rule
        var kind = PurchaseKind.signedTransaction
        let change: @Sendable (inout AnswerWorld) -> Void
    }

    @Test func aStoryThatEndsWellHasNoWrongAnswer() {
        #expect(AnswerWorld().verdict.wrong == [])
        #expect(AnswerWorld().verdict.judged == 2)
    }

    /// The answers of the mutants of a server: each is told once, and the order is fulfilled all the same.
    static let mutants = [
        Mutant(testDescription: "finish before the grant", rule: .finishUngranted) {
            $0.tell("finish", at: 0.6, naming: $0.transaction.id)
        },
        Mutant(testDescription: "support while a proof is judged", rule: .supportInVain) {
            $0.tell("contact_support", state: "review", at: 0.6)
        },
        Mutant(testDescription: "a newer proof for a whole transaction", rule: .resendInVain) {
            $0.tell("resend_proof", reason: "purchase_not_in_receipt", at: 0.6)
        },
        Mutant(testDescription: "the proof that was uploaded", rule: .uploadInVain) { $0.tell("upload_proof", at: 0.6) },
        Mutant(testDescription: "a wait for a while after the grant", rule: .waitInVain) {
            $0.answers.removeLast()
            $0.tell("wait", at: 0.5, until: 40)
            $0.tell("finish", state: "fulfilled", at: 41, naming: $0.transaction.id)
        },
        Mutant(testDescription: "to order anew what was granted", rule: .orderInVain) {
            $0.tell("order_again", state: "review", at: 30, naming: $0.transaction.id)
            $0.tell("finish", state: "fulfilled", at: 31, naming: $0.transaction.id)
        },
        Mutant(testDescription: "support, and then it is granted by itself", rule: .supportInVain) {
            $0.attempts = [$0.attempt(1, 0.35, 0.5, 0.55), $0.attempt(2, 5, 5.1, 5.5)]
            $0.answers = []
            $0.tell("contact_support", state: "review", at: 1)
            $0.tell("finish", state: "fulfilled", at: 6, naming: $0.transaction.id)
            $0.grantedAt = 5.5
        },
        Mutant(testDescription: "finish that names nothing", rule: .finishUngranted) {
            $0.tell("finish", state: "fulfilled", at: 2)
            $0.tell("finish", state: "fulfilled", at: 3, naming: $0.transaction.id)
        },
        Mutant(testDescription: "a wait that nothing explains", rule: .waitTooLong) {
            $0.attempts = [$0.attempt(1, 0.35, 64, 64.5)]
            $0.answers = []
            $0.tell("wait", at: 0.5, until: 64)
            $0.tell("finish", state: "fulfilled", at: 65, naming: $0.transaction.id)
            $0.grantedAt = 64.5
        },
        Mutant(testDescription: "a wait that is the last word", rule: .forEver) { $0.answers.removeLast() },
        Mutant(testDescription: "a newer proof again and again", rule: .forEver, kind: .receipt) {
            $0.answers = []
            $0.tell("resend_proof", state: "rejected", reason: "malformed_proof", at: 0.5, until: 9)
            for number in 1...6 { $0.upload(at: Double(number)) }
            $0.attempts = [$0.attempt(1, 0.35, 9, 9.5)]
            $0.grantedAt = 9.5
            $0.tell("finish", state: "fulfilled", at: 10, naming: $0.transaction.id)
        },
        Mutant(testDescription: "an upload's payment before its grant", rule: .finishUngranted) {
            let id = $0.transaction.id
            $0.tell("finish", about: .upload(order: 0, job: 1, transaction: id), state: "over", at: 0.6, naming: id)
        },
        Mutant(testDescription: "a payment before its grant", rule: .finishUngranted) {
            $0.tell("finish", about: .transaction(0), state: "granted", at: 0.6, naming: $0.transaction.id)
        },
        Mutant(testDescription: "a subscription before it was paid", rule: .unpaidStatus) {
            $0.tell("", about: .subscription(0), state: "active", at: 0.05, naming: $0.transaction.id)
        },
        Mutant(testDescription: "a change before its grant", rule: .toldTooEarly) {
            $0.changes = [$0.change("order_fulfilled", at: 0.6)]
        },
        Mutant(testDescription: "a refund that nobody made", rule: .toldTooEarly) {
            $0.changes = [$0.change("order_refunded", at: 3)]
        },
    ]

    @Test(arguments: mutants)
    func anAnswerIsWrongThatWasNotTrueThen(_ mutant: Mutant) {
        var world = AnswerWorld(mutant.kind)
        mutant.change(&world)

        let wrong = world.verdict.wrong

        #expect(wrong.map(\.rule) == [mutant.rule], "\(wrong.map(\.line))")
        #expect(wrong.first?.line.contains(mutant.rule.rawValue) == true)
    }

    /// The same answers, where they are true.
    static let right: [Mutant] = [
        Mutant(testDescription: "finish in the moment of the commit", rule: .finishUngranted) {
            $0.answers.removeLast()
            $0.tell("finish", state: "fulfilled", at: 0.75, until: 0.85, naming: $0.transaction.id)
        },
        Mutant(testDescription: "a newer receipt, while the purchase isn't in it", rule: .resendInVain, kind: .receipt) {
            $0.tell("resend_proof", reason: "purchase_not_in_receipt", at: 0.6)
            $0.tell("finish", state: "fulfilled", at: 1, naming: $0.transaction.id)
        },
        Mutant(testDescription: "this order's own proof, where another payment was shown", rule: .uploadInVain) {
            $0.attempts = [$0.attempt(1, 0.35, 0.4, 0.5, reason: "another_payment"), $0.attempt(2, 2.05, 2.1, 2.5)]
            $0.answers = []
            $0.tell("upload_proof", at: 1)
            $0.upload(at: 2)
            $0.grantedAt = 2.5
            $0.tell("finish", state: "fulfilled", at: 3, naming: $0.transaction.id)
        },
        Mutant(testDescription: "support, until the client shows something else", rule: .supportInVain) {
            $0.attempts = [$0.attempt(1, 0.35, 0.4, 0.5, reason: "bad_signature"), $0.attempt(2, 2.05, 2.1, 2.5)]
            $0.answers = []
            $0.tell("contact_support", state: "rejected", reason: "bad_signature", at: 1)
            $0.upload(at: 2)
            $0.grantedAt = 2.5
            $0.tell("finish", state: "fulfilled", at: 3, naming: $0.transaction.id)
        },
        Mutant(testDescription: "finish of what somebody else paid", rule: .finishUngranted, kind: .familyShared) {
            $0.answers = []
            $0.grantedAt = nil
            $0.tell("finish", state: "rejected", reason: "family_shared", at: 1, naming: $0.transaction.id)
        },
        Mutant(testDescription: "finish of what was refunded before", rule: .finishUngranted) {
            $0.grantedAt = nil
            $0.revokedAt = 0.7
        },
        Mutant(
            testDescription: "finish of what was refunded under another name before", rule: .finishUngranted,
            kind: .refundedUnderRestoredID
        ) {
            $0.grantedAt = nil
            $0.revokedAt = 0.7
            let other = $0.otherTransaction
            $0.answers.removeLast()
            $0.tell("finish", state: "refunded", reason: "refunded", at: 0.9, naming: other.id)
        },
        Mutant(testDescription: "a wait while the commit waits for the database", rule: .waitInVain) {
            $0.answers.removeLast()
            $0.tell("wait", at: 0.5, until: 40)
            $0.tell("finish", state: "fulfilled", at: 41, naming: $0.transaction.id)
            $0.disturb(.databaseAway, 1, 38)
        },
        Mutant(testDescription: "the feed, after the grant", rule: .toldTooEarly) {
            $0.changes = [$0.change("order_fulfilled", at: 0.9)]
        },
    ]

    @Test(arguments: right)
    func theSameAnswerIsRightWhereItIsTrue(_ story: Mutant) {
        var world = AnswerWorld(story.kind)
        story.change(&world)

        #expect(world.verdict.wrong.map(\.line) == [])
    }
}
