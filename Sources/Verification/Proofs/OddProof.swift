// SPDX-License-Identifier: Apache-2.0

/// A proof that a trusted root signed, with facts that can't be read. Nothing is granted for it without an operator.
package final class OddProof: Sendable {
    /// Each fact by Apple's name for it, and what is wrong: `quantity can't be read`. Never a value.
    package let faults: [String]

    /// The rest of a signed transaction; nil if its app, its environment or an id is among ``faults``, and for a receipt.
    ///
    /// A quantity that can't be read counts as 1 here, and a purchase is dated to its signature.
    package let rest: Transaction?

    /// The transaction, if all that it lacks is its environment, which Apple names since March 2022 only: Apple can be asked where
    /// it is.
    package let unplaced: Unplaced?

    private let complete: (@Sendable (Asked) -> Transaction?)?

    /// - Parameter complete: the transaction with what it lacks, by what Apple was asked for.
    package init(
        _ faults: [String], rest: Transaction? = nil, unplaced: Unplaced? = nil,
        complete: (@Sendable (Asked) -> Transaction?)? = nil
    ) {
        self.faults = faults
        self.rest = rest
        self.unplaced = unplaced
        self.complete = complete
    }

    /// What Apple was asked for, and the product that an operator assigns it to.
    package struct Asked: Hashable, Sendable {
        package let bundleID: BundleID
        package let environment: AppStoreEnvironment
        package let id: TransactionID
        package let productID: ProductID

        package init(bundleID: BundleID, environment: AppStoreEnvironment, id: TransactionID, productID: ProductID) {
            self.bundleID = bundleID
            self.environment = environment
            self.id = id
            self.productID = productID
        }
    }

    /// The transaction, with the app, the environment, the ids and the product that it lacks taken from the question that it
    /// answers. Only for an operator who decides.
    ///
    /// - Returns: nil where one of these stands there and differs, or can't be read; or where nothing dates the purchase.
    package func completed(by asked: Asked) -> Transaction? { rest ?? complete?(asked) }

    /// A transaction of unknown environment.
    package struct Unplaced: Hashable, Sendable {
        package let bundleID: BundleID
        package let id: TransactionID
        package let originalID: TransactionID

        package init(_ transaction: Transaction) {
            bundleID = transaction.bundleID
            id = transaction.id
            originalID = transaction.originalID
        }
    }

    /// One line for the history of attempts.
    package var message: String { "its " + faults.joined(separator: ", its ") }
}

/// The contents of a proof that a trusted root signed.
package enum VerifiedProof: Sendable {
    case transactions(VerifiedTransactions)
    case odd(OddProof)
}

extension VerifiedProof {
    /// - Throws: `Reason/unknownAnswer` for an odd proof.
    package var transactions: VerifiedTransactions {
        get throws(Reason) {
            switch self {
            case .transactions(let transactions): return transactions
            case .odd: throw .unknownAnswer
            }
        }
    }
}
