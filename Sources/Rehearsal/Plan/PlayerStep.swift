// SPDX-License-Identifier: Apache-2.0

package import Verification

/// One thing that a player does. Orders and transactions are named by their number in the purchase.
package enum PlayerStep: Equatable, Sendable {
    /// Inserts orders, as a shop does at checkout.
    case place([Int])
    /// Makes an order older than it is: no rehearsal lasts an hour.
    case backdate(Int, minutes: Int)
    /// Pays: the App Store knows these transactions from now on.
    case pay([Int])
    /// Uploads proofs, all at once.
    case upload([PlannedUpload])
    /// Makes proofs, and keeps them: what becomes of their payments later doesn't show in them.
    case keep([PlannedProof])
    /// Polls orders, one after the other, and does what each says, until polling ends.
    case follow([Int])
    /// Forgets the order's id, asks for the account's open orders, and goes on with what that names.
    case find(Int)
    /// Uploads, and cancels the order while the App Store is being asked.
    case cancelWhileRunning(PlannedUpload)
    /// Takes payments back: the App Store says from now on that they were refunded, wholly or in part.
    case refund([Int], PlannedRefund = .whole)
    /// Gives payments back: the App Store says from now on that nothing of them was refunded.
    case reverse([Int])
    /// A period gives way to that of a dearer plan, which was paid before. Receipts date that so many hours after the payment.
    case upgrade(Int, to: Int, hours: Double)
    /// Polls an order until nothing is pending, and sees it in this state.
    case see(Int, OrderState)
    /// An operator records that the refund of an order's payment was reversed.
    case reverseByOperator(Int)
    /// Begins a life of a subscription: the App Store knows it from now on.
    case begin(Int)
    /// Apple tells of the first purchase of a life.
    case introduce(Int)
    /// Lets an event of a life happen, and Apple tells of it, or is held up.
    case befall(Int, Int, isHeldUp: Bool = false)
    /// Apple tells of a payment, as it is now: a notification of this type.
    case tell(Int, String)
    /// Apple signs such a notification, and it is held up on its way.
    case holdUp(Int, String)
    /// What was held up arrives, the latest first.
    case letThrough
    /// Waits until all that Apple told of a payment was recorded.
    case awaitTold(Int)
    /// Polls an order until it is in this state, without its client.
    case await(Int, OrderState)
    /// Inserts what must be refused.
    case insertRefused(RefusedInsert)
}

/// An upload of one proof for one order.
package struct PlannedUpload: Equatable, Sendable {
    /// The way to the queue.
    package enum Way: Equatable, Sendable {
        case insert
        /// The backend names the account that uploads.
        case insertNamingAccount
        /// The backend names a transaction, as a hint.
        case insertNamingTransaction(Int)
        /// The backend names something that is no transaction of the customer's.
        case insertNaming(String)
        /// `counterfoil.submit`, which makes the order too.
        case submit
        /// `counterfoil.submit` for a payment that came first.
        case recover
    }

    package var order: Int
    package var proof: PlannedProof
    package var way = Way.insert
    /// How often, all at once.
    package var copies = 1

    package init(order: Int, proof: PlannedProof, way: Way = .insert, copies: Int = 1) {
        self.order = order
        self.proof = proof
        self.way = way
        self.copies = copies
    }
}

/// Something that the database must refuse, by a constraint of that name.
package enum RefusedInsert: String, CaseIterable, Equatable, Sendable {
    case jobOfUnknownOrder = "job_names_a_known_order"
    case jobOfAnotherAccount = "job_belongs_to_the_orders_account"
    case emptyProof = "proof_has_1_byte_to_4_mib"
    case orderOfUnknownApp = "order_names_a_known_app"
    case orderWithOtherContent = "order_ids_are_unique"
    case orderOfElevenUnits = "quantity_is_1_to_10"

    package var constraint: String { rawValue }
}
