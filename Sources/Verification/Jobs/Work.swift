// SPDX-License-Identifier: Apache-2.0

/// The work of a job, with all that it needs.
package enum Work: Sendable {
    /// Verifies a proof for an order.
    case verify(Upload)
    /// Tells Apple that a granted transaction is finished. Its failure never changes the grant.
    case finish(Granted)
    /// Records a notification of Apple's. It has no order.
    case record(Told)

    /// The word for it in the table of jobs.
    package var kind: JobKind {
        switch self {
        case .verify: .verify
        case .finish: .finish
        case .record: .notification
        }
    }

    /// The order, and its app's policy; nil for a notification, which has no order.
    package var ordered: Ordered? {
        switch self {
        case .verify(let upload): upload.ordered
        case .finish(let granted): granted.ordered
        case .record: nil
        }
    }

    /// The proof that is to be verified, if that is its work.
    package var upload: Upload? {
        if case .verify(let upload) = self { upload } else { nil }
    }

    /// Whether a client uploaded its proof. That client is told the outcome.
    package var isFromClient: Bool { upload?.source == .client }

    /// What Apple refuses a credential for; empty for a notification, which makes no call.
    package var refusable: String {
        switch self {
        case .verify(let upload): upload.proof
        case .finish(let granted): granted.transaction.rawValue
        case .record: ""
        }
    }

    /// The text that it holds: what a worker's memory and a claim's bytes are counted by.
    package var text: String {
        switch self {
        case .verify(let upload): upload.proof
        case .finish: ""
        case .record(let told): told.text
        }
    }
}

/// An order, and what the operator of its app decided.
///
/// A class, because the parts of an attempt share it, and each copy would be part of an asynchronous frame.
package final class Ordered: Sendable {
    package let order: Order
    package let policy: AppPolicy
    package let number: OrderNumber

    package init(_ order: Order, _ policy: AppPolicy, number: OrderNumber) {
        self.order = order
        self.policy = policy
        self.number = number
    }
}

/// A proof that is to be verified for an order.
package struct Upload: Sendable {
    package enum Source: Sendable {
        /// A client uploaded it. That client is told the outcome.
        case client
        /// It was found without a client: what becomes of it is no answer to one.
        case found
    }

    package let ordered: Ordered

    /// The proof as it was handed over.
    package let proof: String

    /// The transaction that the client named: a hint for choosing among a receipt's entries, never evidence; nil if the text can't
    /// be an id.
    package let hint: TransactionID?

    /// Whether the ledger holds the hinted transaction as the payment of this very order.
    package let hintIsGranted: Bool

    package let source: Source

    package init(
        _ ordered: Ordered, proof: String, hint: TransactionID? = nil, hintIsGranted: Bool = false, source: Source = .client
    ) {
        self.ordered = ordered
        self.proof = proof
        self.hint = hint
        self.hintIsGranted = hintIsGranted
        self.source = source
    }
}

/// A transaction that an order was granted. Its environment is that of the job's lane.
package struct Granted: Sendable {
    package let ordered: Ordered
    package let transaction: TransactionID

    package init(_ ordered: Ordered, transaction: TransactionID) {
        self.ordered = ordered
        self.transaction = transaction
    }
}

/// A notification that Apple sent.
package struct Told: Sendable {
    package let notification: NotificationID

    /// As Apple signed it; empty once the notification's text is deleted.
    package let text: String

    package init(_ notification: NotificationID, text: String) {
        self.notification = notification
        self.text = text
    }
}

/// The words for kinds of work in the table of jobs.
package enum JobKind: String, Sendable, CaseIterable {
    case verify, finish, notification
}
