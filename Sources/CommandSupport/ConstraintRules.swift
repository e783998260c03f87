// SPDX-License-Identifier: Apache-2.0

/// The rules that constraints of the schema keep, in plain words.
enum ConstraintRules {
    /// What to tell somebody who broke the rule. A constraint without an entry speaks for itself: names are sentences.
    static func rule(_ constraint: String) -> String {
        rules[constraint] ?? constraint.replacing("_", with: " ")
    }

    static let rules: [String: String] = [
        "account_id_has_1_to_200_characters": "an account has 1 to 200 characters",
        "account_was_moved": "the account was moved to another one: counterfoil customers show names it",
        "absent_token_policy_is_known": "the policy for absent tokens is accept or review",
        "answered_questions_are_known": "Apple asked no such question about a refund: counterfoil consumption list has them",
        "answers_come_before_apple_decides": "Apple decided about this refund: nothing is left to answer",
        "answers_come_before_the_deadline": "the twelve hours for an answer are over: Apple decides without it",
        "answers_name_a_delivery_status": "the ledger doesn't know whether this payment was delivered: say so with --delivery",
        "answers_need_the_customers_consent":
            "the customer's consent isn't known: give --consented true, or decline; counterfoil apps add sets the app's default",
        "at_most_20_pending_jobs_an_order":
            "the order has 20 pending jobs already, or 100 with those whose receipts lack the purchase: wait until some are settled",
        "at_most_32_mib_of_pending_proofs_an_order":
            "the pending proofs of the order would have more than 32 MiB: wait until some are settled",
        "bundle_id_has_1_to_155_characters": "a bundle id has 1 to 155 characters",
        "closed_gates_say_who_closed_them": "a closed gate says who closed it",
        "closed_orders_say_why": "an order that is rejected, in review, refunded or cancelled says why",
        "discarded_jobs_say_why": "a discarded job says why",
        "event_names_a_known_order": "the order isn't known",
        "forgotten_accounts_are_known": "no order and no payment of the account is known: counterfoil find looks for other ids",
        "forgotten_accounts_have_no_jobs":
            "jobs of its orders wait, run or were given up: wait until they are settled, and cancel those that were given up",
        "forgotten_accounts_stay_so": "the account was forgotten already",
        "fulfilled_orders_say_when": "a fulfilled order says when",
        "gate_names_a_known_app": "the app isn't known: add it with counterfoil apps add",
        "job_belongs_to_the_orders_account": "the account isn't the one that the order belongs to",
        "job_names_a_known_order": "the order isn't known",
        "moved_accounts_have_orders": "no order and no payment of the account is known: counterfoil find looks for other ids",
        "moves_are_as_previewed": "the account's orders aren't those that were looked at: look again with --dry-run --save",
        "moves_lead_elsewhere": "an account is moved to another one",
        "moves_make_no_circle": "the other account was moved to this one; a move isn't taken back",
        "one_job_of_an_order_runs_at_a_time": "another job of the order is running",
        "one_grant_a_payment": "the payment was granted already",
        "one_grant_a_transaction_id": "the transaction was granted already",
        "one_grant_an_order": "the order was paid already",
        "order_id_has_1_to_200_characters": "an order id has 1 to 200 characters",
        "order_ids_are_unique": "an order of this id exists, with another app, product, account, quantity or token",
        "order_names_a_known_app": "the app isn't known: add it with counterfoil apps add",
        "ordered_product_id_has_1_to_200_characters": "a product id has 1 to 200 characters",
        "paid_orders_are_not_cancelled": "a paid order can't be cancelled",
        "paid_orders_name_their_transaction": "a paid order names its transaction",
        "periods_have_no_consumed_share": "an answer about an auto-renewable subscription has no --consumed",
        "priority_is_0_to_3": "a priority is 0 to 3",
        "product_id_has_1_to_200_characters": "a product id has 1 to 200 characters",
        "product_kind_is_known": "a product's kind is consumable, non_consumable, non_renewing or auto_renewable",
        "product_names_a_known_app": "the app isn't known: add it with counterfoil apps add",
        "proof_has_1_byte_to_4_mib": "a proof has 1 byte to 4 MiB",
        "prorated_refunds_need_a_consumed_share": "a prorated refund needs --consumed, above 0",
        "purchase_time_tolerance_is_not_negative": "the tolerance of purchase times isn't negative",
        "own_order_window_is_not_negative": "the window in which a purchase is its own order's isn't negative",
        "questions_are_answered_once": "another decision about this question was made: counterfoil consumption list --all shows it",
        "quantity_is_1_to_10": "a quantity is 1 to 10",
        "running_jobs_hold_a_lease": "a running job holds a lease, and no other does",
        "sandbox_account_names_a_known_app": "the app isn't known: add it with counterfoil apps add",
        "sandbox_policy_is_known": "the sandbox policy is deny, listed or allow",
        "the_ledger_is_append_only": "the ledger and the history are never changed",
        "transferred_orders_are_known": "the order isn't known",
        "transferred_orders_are_paid": "the order was granted no payment: cancel it, and let the other account order",
        "why_has_1_to_1000_characters": "a reason has 1 to 1000 characters",
    ]
}
