// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials

/// Rules of subscriptions, each left out of the database by a word.
extension Omission {
    /// Those that a few worlds notice; all where somebody asks for many worlds.
    static let ofSubscriptions =
        ProcessInfo.processInfo.environment[SubscriptionWorldTests.variable] == nil
        ? [owners[0]] + periods.prefix(3) : owners + names + periods + ends + told

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
            routine: "tell_unclaimed", text: "if tg_op = 'INSERT' and new.reason = any (silent)",
            replacement: "if tg_op = 'UPDATE' or new.reason = any (silent)", testDescription: "23: what is told otherwise"),
    ]
}
