-- Tells the feed what a settlement changed of subscriptions, once all of it is written: payments that are called otherwise because
-- of others (payment_renamed), and the whole state of each subscription where it differs from what was told
-- (subscription_changed). An act that changes nothing tells nothing.
--
-- A state has what a reader needs as time goes by: the current period, and the next one with its beginning. What passes by itself,
-- as the status, is no difference.
--
-- Which payments may be called otherwise: all that were told, if this database transaction wrote about a period that isn't the
-- latest, since it may join two runs or part one; else, where the latest speaks for an account by its token, its grant or the order
-- that it answered, those that aren't told as this account's renewals. So a renewal costs a long subscription little.
--
-- The originals are locked. Parameters, an element a payment; the same subscription may come twice.
--
-- Idioms: generic plan, row look-up.
create or replace function counterfoil.tell_subscriptions(
    of_originals text[], of_bundles text[], of_environments text[], of_ids text[]
) returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp
set enable_seqscan = off set plan_cache_mode = force_generic_plan set jit = off set timezone = 'UTC'
as $$
#variable_conflict use_column
declare
    one record;
    is_latest boolean;
    present record;
    present_state jsonb;
begin
    -- What came to light is told before what follows of it (tell_unclaimed).
    set constraints counterfoil.unclaimed_payments_are_told immediate;
    set constraints counterfoil.unclaimed_payments_are_told deferred;
    for one in
        select
            e.original_transaction_id, e.bundle_id, e.environment,
            min(p.purchased_at) filter (where p.is_new) as since,
            array_agg(distinct p.speaks_for) filter (where p.is_new and p.speaks_for is not null) as accounts
        from unnest(of_originals, of_bundles, of_environments, of_ids)
            as e (original_transaction_id, bundle_id, environment, transaction_id)
        left join lateral (
            select
                p.purchased_at,
                p.seen_at = now() or p.granted_at is not distinct from now() or t.xid is not distinct from pg_current_xact_id()
                or o.account_id is not null
                or exists (
                    select from counterfoil.revocations r
                    where r.original_transaction_id = e.original_transaction_id and r.transaction_id = e.transaction_id
                        and r.bundle_id = e.bundle_id and r.environment = e.environment and r.recorded_at = now()
                ) as is_new,
                case
                    when p.granted_at is not null then (
                        select n.account_id from counterfoil.account_now(p.account_id, p.order_number) n
                    )
                    when p.app_account_token is not null then (
                        select a.account_id from counterfoil.account_of_token(e.bundle_id, p.app_account_token) a
                    )
                    else o.account_id
                end as speaks_for
            from counterfoil.payments p
            left join counterfoil.told_payments t
                on t.transaction_id = p.transaction_id and t.bundle_id = p.bundle_id and t.environment = p.environment
            -- An order that it answered now.
            left join lateral (
                select n.account_id
                from counterfoil.answered_orders a
                join counterfoil.orders m on m.number = a.order_number
                cross join lateral counterfoil.account_now(m.account_id, m.number) n
                where a.transaction_id = e.transaction_id and m.bundle_id = e.bundle_id and m.updated_at = now()
                limit 1
            ) o on true
            where p.transaction_id = e.transaction_id and p.bundle_id = e.bundle_id and p.environment = e.environment
            offset 0
        ) p on true
        group by e.original_transaction_id, e.bundle_id, e.environment
        order by e.original_transaction_id, e.bundle_id, e.environment
    loop
        is_latest := not exists (
            select from counterfoil.payments p
            where p.original_transaction_id = one.original_transaction_id and p.bundle_id = one.bundle_id
                and p.environment = one.environment and p.original_transaction_id <> p.transaction_id
                and p.purchased_at > one.since
        );
        perform counterfoil.tell_payments(array_agg(t.bundle_id), array_agg(t.environment), array_agg(t.transaction_id))
        from (
            select t.bundle_id, t.environment, t.transaction_id
            from counterfoil.told_payments t
            where one.since is not null and t.original_transaction_id = one.original_transaction_id and t.bundle_id = one.bundle_id
                and t.environment = one.environment and t.name in ('unclaimed', 'renewal')
                and t.xid <> pg_current_xact_id()
                and (
                    not is_latest
                    or exists (
                        select from unnest(one.accounts) as a (account_id)
                        where t.name <> 'renewal'
                            or (select n.account_id from counterfoil.account_now(t.account_id) n) is distinct from a.account_id
                    )
                )
            order by t.purchased_at
        ) t
        having count(*) > 0;

        select s.* into present
        from counterfoil.subscription_state(one.bundle_id, one.environment, one.original_transaction_id) s
        where (
            select p.product_kind from counterfoil.payments p
            where p.transaction_id = coalesce(s.transaction_id, s.next_transaction_id) and p.bundle_id = one.bundle_id
                and p.environment = one.environment
        ) = 'auto_renewable';
        continue when not found;
        present_state := jsonb_strip_nulls(jsonb_build_object(
            'original_transaction_id', one.original_transaction_id, 'account_id', present.account_id,
            'transaction_id', present.transaction_id, 'product_id', present.product_id, 'purchased_at', present.purchased_at,
            'expires_at', present.expires_at, 'access_until', present.access_until, 'is_revoked', present.status = 'revoked',
            'will_renew', present.will_renew, 'renews_as', present.renews_as, 'renews_at', present.renews_at,
            'grace_ends_at', present.grace_ends_at, 'is_in_billing_retry', present.is_in_billing_retry,
            'expiration_intent', present.expiration_intent, 'next_transaction_id', present.next_transaction_id,
            'next_product_id', present.next_product_id, 'next_begins_at', present.next_begins_at,
            'next_expires_at', present.next_expires_at));
        insert into counterfoil.told_subscriptions as t (original_transaction_id, bundle_id, environment, state)
        values (one.original_transaction_id, one.bundle_id, one.environment, present_state)
        on conflict on constraint one_telling_a_subscription do update
        set state = excluded.state
        -- A move is told by itself.
        where t.state || jsonb_strip_nulls(jsonb_build_object(
            'account_id', (select n.account_id from counterfoil.account_now(t.state ->> 'account_id') n)
        )) is distinct from excluded.state;
        if found then
            insert into counterfoil.changes (kind, transaction_id, environment, bundle_id, details)
            values (
                'subscription_changed', coalesce(present.transaction_id, present.next_transaction_id), one.environment,
                one.bundle_id, present_state || jsonb_build_object('status', present.status)
            );
        end if;
    end loop;
end
$$;
comment on function counterfoil.tell_subscriptions(text[], text[], text[], text[]) is
    'Private: tells the feed what a settlement changed of subscriptions.';
grant execute on function counterfoil.tell_subscriptions(text[], text[], text[], text[]) to counterfoil_worker, counterfoil_support;
