// SPDX-License-Identifier: Apache-2.0

extension Reason {
    /// What follows from a reason: the one table that SQL's lists, the documents and the alerts are compared with.
    package struct Traits: Sendable {
        /// What may become of an order by it.
        package enum Effect: Hashable, Sendable {
            case rejects
            case leavesToAPerson
            /// The order is open, and a job waits.
            case waits
            /// The order is open, and its own proof is awaited.
            case changesNothing
            case refunds
            /// The shop withdrew the order.
            case cancels
        }

        /// Of what an account is suspected whose proofs end so.
        package enum Suspicion: Hashable, Sendable, CaseIterable {
            case duplicate
            case replay
            case forgery
            case sandbox
        }

        /// Who hears of a payment that is kept by it.
        package enum Keeping: Hashable, Sendable {
            /// It is owed: listed as unclaimed, and the feed has it.
            case owed
            /// The feed has it as a renewal, and no list does.
            case renewal
            /// Neither: it was refunded, or another system may have delivered it.
            case silent
        }

        /// In words, for support.
        package let meaning: String

        /// Empty for a reason that only payments have.
        package let effects: Set<Effect>

        /// The action of a rejected order's client.
        package let answer: ClientAction

        /// Whether an attempt that ends so judged the proof. What nobody judged is kept without a limit.
        package let isJudged: Bool

        package let suspicion: Suspicion?

        /// Whether the ledger or a policy decides it: no fault of the proofs, and no alert where it becomes more frequent.
        package let isNoFaultOfProofs: Bool

        /// Nil where no payment is kept by it.
        package let keeping: Keeping?

        fileprivate init(
            _ meaning: String, _ effects: Set<Effect>, answer: ClientAction = .contactSupport, isJudged: Bool = true,
            suspicion: Suspicion? = nil, isNoFaultOfProofs: Bool = false, keeping: Keeping? = nil
        ) {
            self.meaning = meaning
            self.effects = effects
            self.answer = answer
            self.isJudged = isJudged
            self.suspicion = suspicion
            self.isNoFaultOfProofs = isNoFaultOfProofs
            self.keeping = keeping
        }
    }

    package var meaning: String { traits.meaning }

    package var traits: Traits {
        switch self {
        case .malformedProof:
            Traits("the uploaded text can't be read as any proof", [.rejects], answer: .resendProof)
        case .notAPurchase:
            Traits(
                "Apple signed the uploaded text, and it shows no purchase: a renewal info, an app transaction or a notification",
                [.rejects], answer: .resendProof)
        case .proofTooLarge:
            Traits("the uploaded text is larger than any proof may be", [.rejects])
        case .badCertificate:
            Traits("the proof's certificates are not such as sign for the App Store", [.rejects], suspicion: .forgery)
        case .untrustedRoot:
            Traits("the proof was signed by somebody else than Apple", [.rejects], suspicion: .forgery)
        case .badSignature:
            Traits("the proof was changed after it was signed", [.rejects], suspicion: .forgery)
        case .unsupportedEnvironment:
            Traits("the purchase was made in Xcode, not in a store", [.rejects], suspicion: .forgery)
        case .notAuthentic:
            Traits("according to Apple the receipt is not genuine", [.rejects], suspicion: .forgery)
        case .customerNotFound:
            Traits("Apple doesn't know the customer any more", [.rejects])

        case .wrongApp:
            Traits("the proof is genuine and of another app", [.rejects])
        case .wrongProduct:
            Traits(
                "the proof is genuine and of another product, which the account wasn't granted so far",
                [.rejects, .leavesToAPerson], keeping: .owed)
        case .sandboxNotAllowed:
            Traits(
                "a test purchase, which doesn't count for this account", [.rejects], suspicion: .sandbox, isNoFaultOfProofs: true)
        case .familyShared:
            Traits(
                "a family member bought it: nobody paid for this order", [.rejects], answer: .finish, isNoFaultOfProofs: true)
        case .assignedSeat:
            Traits(
                "a seat that a group or an organization paid for: nobody paid for this order", [.rejects], answer: .finish,
                isNoFaultOfProofs: true)
        case .alreadyGranted:
            Traits(
                "this account was granted this payment before", [.rejects], answer: .finish, suspicion: .duplicate,
                isNoFaultOfProofs: true)
        case .alreadyOwned:
            Traits(
                "this account restored what it had bought before", [.rejects], answer: .finish, suspicion: .duplicate,
                isNoFaultOfProofs: true)
        case .grantedToAnotherAccount:
            Traits("the payment was granted to another account", [.rejects], suspicion: .replay, isNoFaultOfProofs: true)
        case .purchaseNotInReceipt:
            Traits(
                "the proof is genuine and Apple doesn't show this purchase, or not yet; a newer receipt may hold it",
                [.waits, .rejects], answer: .resendProof)
        case .transactionNotFound:
            Traits("Apple doesn't know this transaction", [.rejects])

        case .ownerMismatch:
            Traits("the payment seems to be another account's", [.leavesToAPerson], suspicion: .replay, keeping: .owed)
        case .tokenMissing:
            Traits("the payment lacks the token that ties it to the account", [.leavesToAPerson], keeping: .owed)
        case .quantityShort:
            Traits("fewer were paid than ordered", [.leavesToAPerson], keeping: .owed)
        case .unknownProduct:
            Traits("the product is not listed, and Apple doesn't name its kind", [.leavesToAPerson], keeping: .owed)
        case .productKindMismatch:
            Traits("according to Apple the product is of another kind than is listed", [.leavesToAPerson], keeping: .owed)
        case .purchaseBeforeOrder:
            Traits("the payment is older than the order", [.leavesToAPerson], keeping: .owed)
        case .beforeLedger:
            Traits(
                "the payment is older than this ledger and may have been granted elsewhere", [.leavesToAPerson],
                keeping: .silent)
        case .boughtAgainAfterRevocation:
            Traits("the same purchase was refunded before", [.leavesToAPerson], keeping: .owed)
        case .partlyRefunded:
            Traits(
                "a part of the payment was refunded, or Apple leaves open how much", [.leavesToAPerson], keeping: .owed)
        case .seatsAdded:
            Traits(
                "seats were added to a period of a subscription in mid-period: a further payment of that period",
                [.leavesToAPerson], keeping: .owed)
        case .refundReversed:
            Traits(
                "the payment was recorded as refunded, and according to Apple it is not", [.leavesToAPerson], keeping: .owed)
        case .subscriptionUnconfirmed:
            Traits("the receipt alone doesn't show the subscription's period", [.leavesToAPerson], keeping: .owed)
        case .unsupportedYet:
            Traits("there is no way yet to verify this kind of proof or purchase", [.leavesToAPerson], keeping: .owed)
        case .unsupportedEncoding:
            Traits(
                "a receipt in an encoding that no store has used so far: nobody looked at its signature", [.leavesToAPerson])
        case .unknownAnswer:
            Traits("Apple gave or signed something that is not documented", [.leavesToAPerson])
        case .crashedRepeatedly:
            Traits("the proof brought our own process down, several times", [.waits, .leavesToAPerson], isJudged: false)
        case .settlementRefused:
            Traits("the database refused to record what came of the proof", [.waits, .leavesToAPerson], isJudged: false)
        case .unstorable:
            Traits(
                "the database refused even to record the payment as unclaimed; only the discarded job's proof shows it",
                [.leavesToAPerson], isJudged: false)
        case .discardedByOperator:
            Traits("an operator discarded the job", [.leavesToAPerson], isJudged: false)

        case .appStoreUnavailable:
            Traits("Apple could not be reached, or failed", [.waits, .leavesToAPerson], isJudged: false)
        case .rateLimited:
            Traits("Apple takes no more calls for now", [.waits])
        case .configuration:
            Traits("our configuration is wrong: a secret, a key or a credential", [.waits])
        case .credentialRefused:
            Traits(
                "Apple refuses the app's secret or key for this proof; for others it may take it", [.waits, .leavesToAPerson],
                isJudged: false)
        case .closedByOperator:
            Traits("an operator closed the gate that the job must pass", [.waits])

        case .anotherPayment:
            Traits(
                "the proof showed another payment of this account, and the order still waits for its own", [.changesNothing])
        case .refunded:
            Traits("the payment was refunded", [.refunds], keeping: .silent)
        case .orderCancelled:
            Traits("the shop had withdrawn the order", [.cancels], keeping: .owed)
        case .orderAlreadyPaid:
            Traits("the order had been paid by another payment", [], keeping: .owed)
        case .renewal:
            Traits("a further period of a subscription", [], keeping: .renewal)
        case .noOrder:
            Traits("nobody ordered it", [], keeping: .owed)
        }
    }
}
