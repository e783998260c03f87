-- The row of subscription_status of one subscription, where it is the account's, or no account's yet. A subscription of another
-- account gives no row, as an unknown one.
--
-- environment may be null: then a subscription of either is found.
--
-- Of what somebody else paid for, original_transaction_id may be the transaction's own id: that of a family member, or of the
-- holder of a seat. So it may be no subscription.
--
-- It has the rights of its caller, and writes nothing, so that a standby answers too. Both ask subscription_state; this one by the
-- subscription alone, whatever driver, protocol or pooler calls it.

create or replace function counterfoil.subscription_status_of(
    bundle_id text, environment text, original_transaction_id text, account_id text
) returns setof counterfoil.subscription_status
language plpgsql stable rows 1 set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
declare
    account constant text := (select k.account_id from counterfoil.account_asked(subscription_status_of.account_id) k);
begin
    return query
    select
        subscription_status_of.bundle_id, e.environment, subscription_status_of.original_transaction_id, s.product_id, s.account_id,
        s.transaction_id, s.purchased_at, s.expires_at, s.status, s.will_renew, s.renews_as, s.renews_at, s.grace_ends_at,
        s.expiration_intent, s.as_of, s.is_in_billing_retry, s.access_until, s.next_transaction_id, s.next_product_id,
        s.next_begins_at, s.next_expires_at, 'purchased'
    from unnest(array['production', 'sandbox']) as e (environment)
    cross join lateral counterfoil.subscription_state(
        subscription_status_of.bundle_id, e.environment, subscription_status_of.original_transaction_id) s
    where coalesce(subscription_status_of.environment, e.environment) = e.environment
        and coalesce(s.account_id, account) = account
        -- Apple's word about the renewal of what somebody else paid for is a part of the row below.
        and (
            s.transaction_id is not null or s.next_transaction_id is not null or not exists (
                select from counterfoil.access_states a
                where a.original_transaction_id = subscription_status_of.original_transaction_id
                    and a.bundle_id = subscription_status_of.bundle_id and a.environment = e.environment
            )
        )
    union all
    (
        select
            a.bundle_id, a.environment, a.original_transaction_id, a.product_id, a.account_id, a.transaction_id, a.purchased_at,
            a.expires_at, a.status, a.will_renew, a.renews_as, a.renews_at, a.grace_ends_at, a.expiration_intent, a.as_of,
            a.is_in_billing_retry, a.access_until, null, null, null, null, a.ownership
        from (
            select t.* from counterfoil.access_states t
            where t.transaction_id = subscription_status_of.original_transaction_id
            union all
            (
                -- The latest that has begun.
                select t.* from counterfoil.access_states t
                where t.original_transaction_id = subscription_status_of.original_transaction_id
                    and t.bundle_id = subscription_status_of.bundle_id and t.transaction_id <> t.original_transaction_id
                    and t.purchased_at <= now()
                order by t.purchased_at desc
                limit 1
            )
        ) a
        where a.bundle_id = subscription_status_of.bundle_id
            and coalesce(subscription_status_of.environment, a.environment) = a.environment
            and coalesce(a.account_id, account) = account
        order by a.purchased_at desc
        limit 1
    );
end
$$;
comment on function counterfoil.subscription_status_of(text, text, text, text) is
    'Where a subscription of the account is, or of none, as a row of subscription_status. One of another account gives no row.';

grant execute on function counterfoil.subscription_status_of(text, text, text, text)
    to counterfoil_backend, counterfoil_worker, counterfoil_support, counterfoil_reader;
