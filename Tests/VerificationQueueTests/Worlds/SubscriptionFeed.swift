// SPDX-License-Identifier: Apache-2.0

import Postgres
import TestSupport

/// A reader of the feed alone: what it believes of a world's payments and subscription, set beside what is so.
///
/// Nothing that the feed remembers of its own tellings is looked at.
enum SubscriptionFeed {
    /// The number of the latest change so far.
    static func latest(_ connection: PostgresConnection) async throws -> Int64 {
        try await connection.execute("select coalesce(max(id), 0) from counterfoil.changes")[0].int64(0)
    }

    /// Where the reader is wrong.
    ///
    /// - Parameter begin: the latest change before the world was played.
    static func errors(
        _ signer: SubscriptionSigner, since begin: Int64, _ connection: PostgresConnection
    ) async throws -> [String] {
        let rows = try await connection.execute(
            statement, [.text(signer.prefix), .text(signer.prefix.dropLast() + "."), .text(signer.bundle), .int8(begin)])
        return try rows.map { "the feed alone: " + (try $0.string(0)).replacing(signer.prefix, with: "") }
    }

    private static let statement = PostgresStatement(
        name: "subscription_world_feed",
        sql: """
            with moved as materialized (
                select c.details ->> 'from_account' as account_id, c.details ->> 'to_account' as account_now
                from counterfoil.changes c
                where c.id > $4::bigint and c.kind = 'account_moved' and c.details ->> 'account_id' = c.details ->> 'from_account'
            ), told as materialized (
                -- The reader obeys what is told of moves.
                select c.*, coalesce(m.account_now, c.details ->> 'account_id') as account_id
                from counterfoil.changes c
                left join moved m on m.account_id = c.details ->> 'account_id'
                where c.id > $4::bigint and c.orders is null and c.bundle_id = $3::text
            ), payment as materialized (
                select s.*, coalesce(s.paid_account_id, s.account_id) as present_account
                from counterfoil.payments p
                cross join lateral (
                    select * from counterfoil.payment_states s
                    where s.transaction_id = p.transaction_id and s.bundle_id = p.bundle_id and s.environment = p.environment
                    offset 0
                ) s
                where p.transaction_id >= $1::text and p.transaction_id < $2::text and p.bundle_id = $3::text
            ), belief as (
                select
                    p.transaction_id, p.state, p.present_account, p.refunded_share,
                    (
                        select case t.kind
                            when 'payment_unclaimed' then 'unclaimed'
                            when 'subscription_renewed' then 'renewal'
                            else t.details #>> '{after,name}'
                        end
                        from told t
                        where t.transaction_id = p.transaction_id
                            and t.kind in ('payment_unclaimed', 'subscription_renewed', 'payment_renamed')
                        order by t.id desc limit 1
                    ) as name,
                    (
                        select t.account_id
                        from told t
                        where t.transaction_id = p.transaction_id
                            and t.kind in ('payment_unclaimed', 'subscription_renewed', 'payment_renamed')
                        order by t.id desc limit 1
                    ) as account_id,
                    (
                        select t.share
                        from told t
                        where t.transaction_id = p.transaction_id
                            and t.kind in (
                                'payment_unclaimed', 'subscription_renewed', 'payment_refunded', 'payment_refund_reversed'
                            )
                        order by t.id desc limit 1
                    ) as share
                from payment p
            ), state as materialized (
                select s.* from counterfoil.subscription_status s
                where s.original_transaction_id >= $1::text and s.original_transaction_id < $2::text and s.bundle_id = $3::text
                    and s.ownership = 'purchased'
            )
            select concat_ws(
                ' ', b.transaction_id, 'is', b.state, b.present_account, b.refunded_share, 'and was told as', b.name, b.account_id,
                b.share)
            from belief b
            where case
                when b.state in ('renewal', 'unclaimed')
                    then (b.name, b.account_id, b.share) is distinct from (b.state, b.present_account, b.refunded_share)
                when b.state = 'taken_back' then b.name is not null and b.share is distinct from 100000
                else b.name in ('unclaimed', 'renewal')
            end
            union all
            select concat_ws(' ', 'the subscription is', to_jsonb(s), 'and was told as', t.details)
            from state s
            left join lateral (
                select t.details, t.account_id from told t
                where t.kind = 'subscription_changed' and t.details ->> 'original_transaction_id' = s.original_transaction_id
                order by t.id desc limit 1
            ) t on true
            where coalesce(s.transaction_id, s.next_transaction_id) is not null
                and (
                    s.account_id, s.transaction_id, s.product_id, s.expires_at, s.access_until, s.will_renew, s.renews_as,
                    s.grace_ends_at, s.is_in_billing_retry, s.next_transaction_id, s.next_begins_at, s.next_expires_at, s.status
                ) is distinct from (
                    t.account_id, t.details ->> 'transaction_id', t.details ->> 'product_id',
                    (t.details ->> 'expires_at')::timestamptz, (t.details ->> 'access_until')::timestamptz,
                    (t.details ->> 'will_renew')::boolean, t.details ->> 'renews_as',
                    (t.details ->> 'grace_ends_at')::timestamptz, (t.details ->> 'is_in_billing_retry')::boolean,
                    t.details ->> 'next_transaction_id', (t.details ->> 'next_begins_at')::timestamptz,
                    (t.details ->> 'next_expires_at')::timestamptz, t.details ->> 'status'
                )
            """, isPrepared: true)
}
