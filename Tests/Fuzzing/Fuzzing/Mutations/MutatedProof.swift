// SPDX-License-Identifier: Apache-2.0

package import Verification

/// A valid proof with one field changed, and the verdict that a rule demands of it.
package struct MutatedProof: Sendable {
    package enum Form: String, CaseIterable, Sendable {
        case signedTransaction = "signed transaction"
        case receipt
    }

    /// How a field was changed.
    package enum Mutation: String, CaseIterable, Sendable {
        case absent, null, wrongType, empty, huge, negative, nul, duplicate, unknownValue, fraction
        /// A date in a form that no reader of Apple's data expects.
        case unreadableDate
        /// A value that the field's own table lists, or one beside it.
        case listedValue
    }

    /// Who signed the changed content.
    package enum Signing: String, CaseIterable, Sendable {
        /// The leaf below the trusted root.
        case trusted
        /// That leaf, over the content before the change.
        case unsigned
        /// A leaf below a root that nobody trusts.
        case foreign
    }

    package let form: Form
    package let field: String
    package let mutation: Mutation
    package let signing: Signing

    /// As a client uploads it.
    package let text: String

    /// The value that the field was given.
    package let value: String

    package let expectation: Expectation

    package init(
        _ form: Form, field: String, _ mutation: Mutation, _ signing: Signing, text: String, value: String,
        expectation: Expectation
    ) {
        self.form = form
        self.field = field
        self.mutation = mutation
        self.signing = signing
        self.text = text
        self.value = value
        self.expectation = expectation
    }

    package var title: String {
        "\(form.rawValue), \(field), \(mutation.rawValue), \(signing.rawValue): \(value.prefix(60))"
    }
}

extension MutatedProof {
    /// What a verifier may answer. Anything else breaks the rule.
    package struct Expectation: Sendable {
        /// Exactly these transactions may be verified; nil where the change forbids every one with the changed field.
        var facts: [Transaction]?

        /// The transactions beside the changed one, which have to be verified whenever the proof is.
        var others: [Transaction] = []

        /// Whether the changed transaction may be left to an operator, or to a newer proof, in place of a grant.
        var mayBeUndecided = false

        /// Whether the changed transaction may count as refunded although no date says so.
        var mayBeRefunded = false

        var refusals: Set<Reason> = []

        /// Verified, with these facts and no others.
        package static func verified(_ transaction: Transaction, beside others: [Transaction] = []) -> Expectation {
            Expectation(facts: [transaction] + others, others: others)
        }

        /// Genuine, and not to be granted: review, or a newer proof is asked for.
        package static func undecided(beside others: [Transaction] = [], mayBeRefunded: Bool = false) -> Expectation {
            Expectation(others: others, mayBeUndecided: true, mayBeRefunded: mayBeRefunded, refusals: [.unknownAnswer])
        }

        /// Verified with these facts, or left undecided. Nothing else: the meaning is plain, or nobody has to know it.
        package static func verifiedOrUndecided(_ transaction: Transaction, beside others: [Transaction] = []) -> Expectation {
            Expectation(facts: [transaction] + others, others: others, mayBeUndecided: true, refusals: [.unknownAnswer])
        }

        /// Refused as a forgery, whatever is in it. An operator's time isn't spent on it.
        package static let refused = Expectation(
            refusals: [.badCertificate, .untrustedRoot, .badSignature, .malformedProof, .unsupportedEnvironment, .notAuthentic])

        /// Signed for Xcode's tests.
        package static let refusedAsXcode = Expectation(refusals: [.unsupportedEnvironment])

        /// The root may speak for named apps only, and the proof names none of them.
        package static let outsideRoot = Expectation(refusals: [.untrustedRoot, .unknownAnswer])

        /// The certificates weren't valid at the time that the proof names.
        package static let outsideValidity = Expectation(refusals: [.badCertificate, .unknownAnswer])
    }
}
