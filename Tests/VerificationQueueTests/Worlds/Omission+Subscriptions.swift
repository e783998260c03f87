// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials

/// Rules of subscriptions, each left out of the database by a word.
extension Omission {
    /// Those that a few worlds notice; all where somebody asks for many worlds.
    static let ofSubscriptions =
        ProcessInfo.processInfo.environment[SubscriptionWorldTests.variable] == nil
        ? [owners[0], names[0], told[0]] + periods.prefix(3) : owners + names + periods + ends + told + others

    private static let owners = [
        Omission(
            routine: "owner_before", text: "    return owner;\n", replacement: "    return null;\n",
            testDescription: "19: whose the period before is"),
        Omission(
            routine: "payment_states", text: "then counterfoil.account_of_period(p.bundle_id, p.environment, p.transaction_id)",
            replacement: "then p.account_id", testDescription: "19: an account that follows from what is known now"),
        Omission(
            routine: "owner_of_period", text: "of_original) t;", replacement: "of_original) t where false;",
            testDescription: "6: tokens speak for their run"),
        Omission(
            routine: "orders_for_payment", text: "where o.app_account_token = of_token and",
            replacement: "where false and o.app_account_token = of_token and", testDescription: "10: a token's order"),
    ]

    private static let names = [
        Omission(
            routine: "renewed_account", text: "if of_reason = 'purchase' then", replacement: "if false then",
            testDescription: "20: Apple says that it is a purchase"),
        Omission(
            routine: "renewed_account", text: "renews boolean := of_reason = 'renewal'", replacement: "renews boolean := false",
            testDescription: "20: Apple says that it is a renewal"),
    ]

    private static let periods = [
        Omission(
            routine: "subscription_state", text: "and p.original_transaction_id <> p.transaction_id and p.purchased_at <= now()",
            replacement: "and p.original_transaction_id <> p.transaction_id", testDescription: "21: the current period has begun"),
        Omission(
            routine: "end_of_period", text: "return coalesce(replaced_at, ends_at);", replacement: "return ends_at;",
            testDescription: "21: another plan takes a period's place"),
        Omission(
            routine: "subscription_state", text: "if refund.is_whole is not true or seats_stand then", replacement: "if true then",
            testDescription: "21: what was refunded isn't current"),
        Omission(
            routine: "revocations_in_force", text: "when v.kind = 'reversal' then v.as_of >= r.as_of",
            replacement: "when v.kind = 'reversal' then v.recorded_at >= r.recorded_at",
            testDescription: "16: reversals by their time"),
    ]

    private static let ends = [
        Omission(
            routine: "end_of_period", text: "where w.transaction_id = of_id and",
            replacement: "where false and w.transaction_id = of_id and",
            testDescription: "22: the newest word"),
        Omission(
            routine: "end_of_period", text: "and (s.as_of <= told_as_of) is not true", replacement: "",
            testDescription: "22: renewal info is a word of its time"),
        Omission(
            routine: "subscription_state", text: "else greatest(expires_at, grace_ends_at) end", replacement: "else expires_at end",
            testDescription: "22: grace"),
        Omission(
            routine: "subscription_state", text: "    if is_about_present then\n", replacement: "    if true then\n",
            testDescription: "22: grace is of its period alone"),
    ]

    private static let told = [
        Omission(
            routine: "tell_payments", text: "            p.was_told\n            and (", replacement: "            false\n            and (",
            testDescription: "23: what is called otherwise"),
        Omission(
            routine: "tell_payments", text: "where n.was_told and n.name in ('unclaimed', 'renewal')\n",
            replacement: "where false\n",
            testDescription: "23: refunds of what no order has"),
        Omission(
            routine: "tell_subscriptions", text: "where one.since is not null and", replacement: "where false and",
            testDescription: "23: what other payments say of it"),
        Omission(
            routine: "tell_subscriptions", text: ")) is distinct from excluded.state;", replacement: ")) is null;",
            testDescription: "23: each difference of a subscription"),
    ]

    private static let others = [
        Omission(
            beforeInsertOn: "jobs",
            body: """
                if new.kind = 'notification' and exists (
                    select from counterfoil.notifications n where n.id = new.notification_id and n.outcome = 'denied'
                ) then
                    return null;
                end if;
                return new;
                """, testDescription: "24: sandbox words are judged again"),
        Omission(
            beforeInsertOn: "accesses",
            body: """
                delete from counterfoil.accesses a where a.transaction_id = new.transaction_id and a.bundle_id = new.bundle_id;
                return new;
                """, testDescription: "25: access by the newest word"),
        Omission(
            beforeInsertOn: "jobs",
            body: """
                if new.found_by is not null and exists (
                    select from counterfoil.orders o where o.order_id = new.order_id and o.state = 'review'
                ) then
                    return null;
                end if;
                return new;
                """, testDescription: "27: the newest word lifts a review"),
        Omission(
            routine: "waits_for_payment", text: "state in ('open', 'rejected', 'review')", replacement: "state = 'open'",
            testDescription: "28: a receipt that lacks the purchase shuts nothing"),
    ]
}
