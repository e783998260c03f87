-- The routines, views and triggers that the yardstick's statements used, as they were then.
set role counterfoil_owner;

create function counterfoil.waits_for_payment(state text) returns boolean
language sql immutable parallel safe
begin atomic
    select state in ('open', 'rejected', 'review');
end;
grant execute on function counterfoil.waits_for_payment(text) to counterfoil_worker;

create function counterfoil.refuse_change() returns trigger
language plpgsql set search_path = pg_catalog, pg_temp
as $$
begin
    raise exception 'rows of counterfoil.% are never changed or removed', tg_table_name
        using errcode = 'restrict_violation', schema = 'counterfoil', table = tg_table_name,
            constraint = 'the_ledger_is_append_only';
end
$$;

-- What may change of a payment that isn't granted, refuse_change_of_payment says.
create trigger payments_are_never_removed
    before delete or truncate on counterfoil.payments
    for each statement execute function counterfoil.refuse_change();

create trigger revocations_are_append_only
    before update or delete or truncate on counterfoil.revocations
    for each statement execute function counterfoil.refuse_change();

create trigger orders_are_never_deleted
    before delete or truncate on counterfoil.orders
    for each statement execute function counterfoil.refuse_change();

-- Statements on the table itself, and on that of changes; partitions are dropped by retention.
create trigger attempts_are_append_only
    before update or delete or truncate on counterfoil.attempts
    for each statement execute function counterfoil.refuse_change();

create trigger changes_are_append_only
    before update or delete or truncate on counterfoil.changes
    for each statement execute function counterfoil.refuse_change();

create function counterfoil.refuse_change_of_payment() returns trigger
language plpgsql set search_path = pg_catalog, pg_temp
as $$
begin
    if old.order_id is not null
        or (
            new.transaction_id, new.bundle_id, new.environment, new.original_transaction_id, new.product_id, new.seen_at
        ) is distinct from (
            old.transaction_id, old.bundle_id, old.environment, old.original_transaction_id, old.product_id, old.seen_at
        )
        or old.additional_reason is not null and new.additional_reason is distinct from old.additional_reason
        or new.order_id is null and new.web_order_line_item_id is distinct from old.web_order_line_item_id
        and (new.web_order_line_item_id is not null or new.additional_reason is null)
        or new.order_id is null
        and (
            new.quantity, new.purchased_at, new.expires_at, new.app_account_token, new.price_milliunits, new.currency,
            new.purchase_reason, new.paid_at, new.is_advanced_commerce
        ) is distinct from (
            old.quantity, old.purchased_at, old.expires_at, coalesce(old.app_account_token, new.app_account_token),
            coalesce(old.price_milliunits, new.price_milliunits), coalesce(old.currency, new.currency),
            coalesce(old.purchase_reason, new.purchase_reason), coalesce(old.paid_at, new.paid_at),
            coalesce(old.is_advanced_commerce, new.is_advanced_commerce)
        )
    then
        raise exception 'a payment is granted once, and its facts never change'
            using errcode = 'restrict_violation', schema = 'counterfoil', table = 'payments',
                constraint = 'the_ledger_is_append_only';
    end if;
    return new;
end
$$;

create trigger payments_keep_their_facts
    before update on counterfoil.payments
    for each row execute function counterfoil.refuse_change_of_payment();

create function counterfoil.bought_apart(
    of_bundle text, of_environment text, of_original text, one timestamptz, other timestamptz
) returns boolean
language sql stable strict security definer set search_path = pg_catalog, pg_temp
set enable_seqscan = off set enable_bitmapscan = off set enable_hashjoin = off set enable_mergejoin = off
as $$
    select exists (
        select from counterfoil.revocations r
        where r.original_transaction_id = of_original and r.bundle_id = of_bundle and r.environment = of_environment
            and r.share = 100000 and r.occurred_at >= least(one, other) and r.occurred_at < greatest(one, other)
            and not exists (
                select from counterfoil.revocations v
                where v.original_transaction_id = of_original and v.bundle_id = of_bundle and v.environment = of_environment
                    and v.transaction_id = r.transaction_id and v.kind = 'reversal' and v.occurred_at >= r.occurred_at
                    and v.occurred_at < greatest(one, other)
            )
    )
$$;
grant execute on function counterfoil.bought_apart(text, text, text, timestamptz, timestamptz) to counterfoil_worker;

create function counterfoil.is_one_payment(
    of_bundle text, of_environment text, of_original text,
    one_kind text, one_item text, one_purchased_at timestamptz,
    other_kind text, other_item text, other_purchased_at timestamptz
) returns boolean
language sql stable
begin atomic
    select case coalesce(nullif(one_kind, 'consumable'), other_kind, one_kind)
        when 'consumable' then (one_kind = 'consumable' and other_kind = 'consumable') is true
        when 'non_consumable' then
            counterfoil.bought_apart(of_bundle, of_environment, of_original, one_purchased_at, other_purchased_at) is not true
        when 'non_renewing' then
            counterfoil.bought_apart(of_bundle, of_environment, of_original, one_purchased_at, other_purchased_at) is not true
        else one_item = other_item
            or (one_item is null or other_item is null)
            and date_trunc('second', one_purchased_at) = date_trunc('second', other_purchased_at)
    end;
end;
grant execute on function counterfoil.is_one_payment(text, text, text, text, text, timestamptz, text, text, timestamptz)
    to counterfoil_worker;

create function counterfoil.names_of_payment(
    of_bundle text, of_environment text, of_id text, of_original text, of_item text, of_key text, of_kind text,
    of_purchased_at timestamptz
)
returns table (
    transaction_id text, account_id text, order_id text, reason text, seen_at timestamptz, product_kind text,
    additional_reason text, purchase_reason text, paid_at timestamptz, is_advanced_commerce boolean, shown_by text
)
language sql stable
begin atomic
    select
        p.transaction_id, p.account_id, p.order_id, p.reason, p.seen_at, p.product_kind, p.additional_reason, p.purchase_reason,
        p.paid_at, p.is_advanced_commerce, p.shown_by
    from counterfoil.payments p
    where p.transaction_id = of_id and p.bundle_id = of_bundle and p.environment = of_environment
    union all
    select
        p.transaction_id, p.account_id, p.order_id, p.reason, p.seen_at, p.product_kind, p.additional_reason, p.purchase_reason,
        p.paid_at, p.is_advanced_commerce, p.shown_by
    from counterfoil.payments p
    where p.payment_key = of_key and p.bundle_id = of_bundle and p.environment = of_environment and p.granted_at is not null
        and (
            p.payment_key like 'web_order:%'
            or counterfoil.is_one_payment(
                of_bundle, of_environment, of_original, of_kind, of_item, of_purchased_at, p.product_kind,
                p.web_order_line_item_id, p.purchased_at)
        )
    union all
    select
        p.transaction_id, p.account_id, p.order_id, p.reason, p.seen_at, p.product_kind, p.additional_reason, p.purchase_reason,
        p.paid_at, p.is_advanced_commerce, p.shown_by
    from counterfoil.payments p
    where p.original_transaction_id = of_original and p.bundle_id = of_bundle and p.environment = of_environment
        and p.original_transaction_id <> p.transaction_id and p.transaction_id <> of_id
        and counterfoil.is_one_payment(
            of_bundle, of_environment, of_original, of_kind, of_item, of_purchased_at, p.product_kind, p.web_order_line_item_id,
            p.purchased_at)
    union all
    select
        p.transaction_id, p.account_id, p.order_id, p.reason, p.seen_at, p.product_kind, p.additional_reason, p.purchase_reason,
        p.paid_at, p.is_advanced_commerce, p.shown_by
    from counterfoil.payments p
    where of_id <> of_original and p.transaction_id = of_original and p.bundle_id = of_bundle and p.environment = of_environment
        and counterfoil.is_one_payment(
            of_bundle, of_environment, of_original, of_kind, of_item, of_purchased_at, p.product_kind, p.web_order_line_item_id,
            p.purchased_at)
    offset 0;
end;
grant execute on function counterfoil.names_of_payment(text, text, text, text, text, text, text, timestamptz) to counterfoil_worker;

create view counterfoil.revocations_in_force as
select
    r.transaction_id, r.bundle_id, r.environment, r.original_transaction_id, r.web_order_line_item_id, r.occurred_at, r.as_of,
    r.recorded_at, r.share, r.seats, r.revocation_type, r.revocation_reason, coalesce(r.share = 100000, false) as is_whole,
    coalesce(r.purchased_at, r.occurred_at) as purchased_at
from counterfoil.revocations r
where r.kind = 'revocation'
    -- Idiom: row look-up. A reversal is the later word of its time. A share that is known hides one that isn't. What was reversed
    -- or outweighed itself hides nothing.
    and (
        select true from counterfoil.revocations v
        where v.original_transaction_id = r.original_transaction_id and v.bundle_id = r.bundle_id and v.environment = r.environment
            and v.transaction_id = r.transaction_id
            and case
                when v.kind = 'reversal' then v.as_of >= r.as_of
                when r.knows_no_share and v.share < 100000 and v.occurred_at >= r.occurred_at then true
                when v.share is null then r.share is null and (v.as_of, v.id) > (r.as_of, r.id)
                when r.share is not null and not v.knows_no_share then (v.as_of, v.share, v.id) > (r.as_of, r.share, r.id)
                else (r.share is null or (v.as_of, v.share, v.id) > (r.as_of, r.share, r.id))
                    and (
                        select true from counterfoil.revocations w
                        where w.original_transaction_id = v.original_transaction_id and w.bundle_id = v.bundle_id
                            and w.environment = v.environment and w.transaction_id = v.transaction_id
                            and (
                                w.kind = 'reversal' and w.as_of >= v.as_of
                                or v.knows_no_share and w.share < 100000 and w.occurred_at >= v.occurred_at
                            )
                        limit 1
                    ) is null
            end
        limit 1
    ) is null;

grant select on counterfoil.revocations_in_force to counterfoil_worker;

create function counterfoil.revocations_of_payment(
    of_bundle text, of_environment text, of_id text, of_original text, of_item text, of_kind text, of_purchased_at timestamptz
)
returns table (transaction_id text, as_of timestamptz, recorded_at timestamptz, share integer, is_whole boolean)
language sql stable
begin atomic
    select r.transaction_id, r.as_of, r.recorded_at, r.share, r.is_whole
    from counterfoil.revocations_in_force r
    where r.original_transaction_id = of_original and r.bundle_id = of_bundle and r.environment = of_environment
        and (
            r.transaction_id = of_id
            or counterfoil.is_one_payment(
                of_bundle, of_environment, of_original, of_kind, of_item, of_purchased_at,
                (
                    select p.product_kind from counterfoil.payments p
                    where p.transaction_id = r.transaction_id and p.bundle_id = of_bundle and p.environment = of_environment
                ),
                r.web_order_line_item_id, r.purchased_at)
        )
    offset 0;
end;
grant execute on function counterfoil.revocations_of_payment(text, text, text, text, text, text, timestamptz) to counterfoil_worker;

create function counterfoil.refund_of_payment(
    of_bundle text, of_environment text, of_id text, of_original text, of_item text, of_kind text, of_purchased_at timestamptz
)
returns table (share integer, is_whole boolean, as_of timestamptz, recorded_at timestamptz)
language sql stable
begin atomic
    select v.share, v.is_whole, v.as_of, v.recorded_at
    from counterfoil.revocations_of_payment(
        of_bundle, of_environment, of_id, of_original, of_item, of_kind, of_purchased_at) v
    order by v.share is null, v.as_of desc, v.share desc
    limit 1;
end;
grant execute on function counterfoil.refund_of_payment(text, text, text, text, text, text, timestamptz) to counterfoil_worker;

create function counterfoil.refunds_before(
    of_bundle text, of_environment text, of_id text, of_original text, of_kind text, of_purchased_at timestamptz
)
returns table (transaction_id text)
language sql stable
begin atomic
    select r.transaction_id
    from counterfoil.revocations r
    where r.original_transaction_id = of_original and r.bundle_id = of_bundle and r.environment = of_environment
        and r.transaction_id <> of_id and r.share = 100000 and r.occurred_at < of_purchased_at
        and not exists (
            select from counterfoil.revocations v
            where v.original_transaction_id = of_original and v.bundle_id = of_bundle and v.environment = of_environment
                and v.transaction_id = r.transaction_id and v.kind = 'reversal' and v.occurred_at >= r.occurred_at
                and (of_kind = 'auto_renewable' or v.occurred_at < of_purchased_at)
        )
    offset 0;
end;
grant execute on function counterfoil.refunds_before(text, text, text, text, text, timestamptz) to counterfoil_worker;

create function counterfoil.owner_of_period(
    of_bundle text, of_environment text, of_original text, of_purchased_at timestamptz
)
returns table (account_id text)
language sql stable
begin atomic
    select g.account_id
    from (
        select p.account_id, p.purchased_at
        from counterfoil.payments p
        where p.original_transaction_id = of_original and p.bundle_id = of_bundle and p.environment = of_environment
            and p.original_transaction_id <> p.transaction_id and p.granted_at is not null and p.purchased_at < of_purchased_at
        union all
        select p.account_id, p.purchased_at
        from counterfoil.payments p
        where p.transaction_id = of_original and p.bundle_id = of_bundle and p.environment = of_environment
            and p.granted_at is not null and p.purchased_at < of_purchased_at
    ) g
    order by g.purchased_at desc
    limit 1;
end;
grant execute on function counterfoil.owner_of_period(text, text, text, timestamptz) to counterfoil_worker;

create function counterfoil.account_of_token(of_bundle text, token uuid) returns table (account_id text)
language sql stable
begin atomic
    select smallest.account_id
    from (
        select o.account_id from counterfoil.orders o
        where o.app_account_token = token and o.bundle_id = of_bundle
        order by o.account_id
        limit 1
    ) smallest
    where smallest.account_id = (
        select o.account_id from counterfoil.orders o
        where o.app_account_token = token and o.bundle_id = of_bundle
        order by o.account_id desc
        limit 1
    );
end;
grant execute on function counterfoil.account_of_token(text, uuid) to counterfoil_worker;

create function counterfoil.payment_facts(
    of_bundle text, of_environment text, of_id text, of_original text, of_item text, of_key text, of_kind text,
    of_purchased_at timestamptz, of_token uuid, by_account text, order_token uuid
)
returns table (
    is_seen boolean, holder_order_id text, holder_account_id text, holder_transaction_id text,
    refunded_as_of timestamptz, refund_recorded_at timestamptz, is_partly_refunded boolean, is_addition boolean,
    is_bought_again boolean, is_anothers boolean, is_clear boolean,
    token uuid, purchase_reason text, paid_at timestamptz, is_advanced_commerce boolean, first_ordered_at timestamptz
)
language sql stable
begin atomic
    select
        f.is_seen, f.holder_order_id, f.holder_account_id, f.holder_transaction_id, f.refunded_as_of, f.refund_recorded_at,
        f.is_partly_refunded, f.is_addition, f.is_bought_again, f.is_anothers,
        f.holder_order_id is null and f.refunded_as_of is null
        and not (f.is_partly_refunded or f.is_addition or f.is_bought_again or f.is_anothers or f.is_advanced_commerce),
        f.token, f.purchase_reason, f.paid_at, f.is_advanced_commerce,
        (
            select o.created_at from counterfoil.orders o
            where o.order_id = any (array[f.shown_by]) and o.account_id = by_account and f.account_id = by_account
        )
    from (
        select
            n.is_seen, n.order_id as holder_order_id, n.holder_account_id, n.holder_transaction_id,
            case when r.is_whole then r.as_of end as refunded_as_of,
            case when r.is_whole then r.recorded_at end as refund_recorded_at,
            coalesce(not r.is_whole, false) as is_partly_refunded, n.is_addition,
            (
                of_kind in ('non_consumable', 'non_renewing') and (
                    select true
                    from counterfoil.refunds_before(of_bundle, of_environment, of_id, of_original, of_kind, of_purchased_at)
                    limit 1
                ) is not null
                -- Its key is held by another payment of the same original.
                or of_kind in ('non_consumable', 'non_renewing') and n.order_id is null and (
                    select true from counterfoil.payments p
                    where p.payment_key = of_key and p.bundle_id = of_bundle and p.environment = of_environment
                        and p.granted_at is not null
                ) is not null
            ) is true as is_bought_again,
            case
                when t.token = order_token then false
                -- Of another order: it passes if that order is this account's.
                when t.token is not null and order_token is not null then (
                    select a.account_id from counterfoil.account_of_token(of_bundle, t.token) a
                ) is distinct from by_account
                else coalesce(
                    case when t.token is not null then (
                        select a.account_id from counterfoil.account_of_token(of_bundle, t.token) a
                    ) end,
                    case when of_kind = 'auto_renewable' then (
                        select w.account_id
                        from counterfoil.owner_of_period(of_bundle, of_environment, of_original, of_purchased_at) w
                    ) end,
                    n.shown_by_account_id
                ) <> by_account
            end is true as is_anothers,
            t.token, n.purchase_reason, n.paid_at, n.is_advanced_commerce, n.shown_by, n.account_id
        from (
            select
                coalesce(bool_or(p.transaction_id = of_id), false) as is_seen,
                coalesce(bool_or(p.transaction_id = of_id and p.additional_reason is not null), false) as is_addition,
                max(p.order_id) as order_id,
                max(p.account_id) filter (where p.order_id is not null) as holder_account_id,
                max(p.transaction_id) filter (where p.order_id is not null) as holder_transaction_id,
                (array_agg(p.account_id order by p.seen_at, p.transaction_id) filter (
                    where p.order_id is null and p.account_id is not null and p.reason <> 'owner_mismatch'
                ))[1] as shown_by_account_id,
                max(p.purchase_reason) filter (where p.transaction_id = of_id) as purchase_reason,
                max(p.paid_at) filter (where p.transaction_id = of_id) as paid_at,
                coalesce(bool_or(p.transaction_id = of_id and p.is_advanced_commerce), false) as is_advanced_commerce,
                max(p.shown_by) filter (where p.transaction_id = of_id) as shown_by,
                max(p.account_id) filter (where p.transaction_id = of_id) as account_id
            from counterfoil.names_of_payment(
                of_bundle, of_environment, of_id, of_original, of_item, of_key, of_kind, of_purchased_at) p
        ) n
        -- A receipt may lack the token that a signed transaction showed before. Idiom: offset 0.
        cross join lateral (
            select coalesce(
                of_token,
                case when n.is_seen then (
                    select p.app_account_token from counterfoil.payments p
                    where p.transaction_id = of_id and p.bundle_id = of_bundle and p.environment = of_environment
                ) end
            ) as token
            offset 0
        ) t
        left join lateral counterfoil.refund_of_payment(
            of_bundle, of_environment, of_id, of_original, of_item, of_kind, of_purchased_at) r on true
    ) f;
end;
grant execute on function counterfoil.payment_facts(text, text, text, text, text, text, text, timestamptz, uuid, text, uuid)
    to counterfoil_worker;

create view counterfoil.payment_states as
select
    p.transaction_id, p.bundle_id, p.environment, p.original_transaction_id, p.payment_key, p.web_order_line_item_id, p.product_id,
    p.product_kind, p.quantity, p.purchased_at, p.expires_at, p.app_account_token, p.account_id, p.shown_by, p.seen_at, p.reason,
    p.order_id, p.granted_at, p.job_id, coalesce(p.order_id, h.order_id) as paid_order_id,
    coalesce(case when p.order_id is not null then p.account_id end, h.account_id) as paid_account_id,
    coalesce(r.is_whole, false) as is_refunded, coalesce(not r.is_whole, false) as is_partly_refunded, r.share as refunded_share,
    case
        when p.order_id is not null then case when r.is_whole then 'refunded' else 'granted' end
        when h.order_id is not null then 'restored'
        when r.is_whole then 'taken_back'
        when p.reason = 'renewal' then 'renewal'
        else 'unclaimed'
    end as state,
    r.occurred_at as refunded_at
from counterfoil.payments p
-- The look-ups of names_of_payment and refund_of_payment, written out: backends and readers read views of this one, and a
-- function would look with their rights, not with the owner's.
left join lateral (
    select n.order_id, n.account_id
    from (
        select g.order_id, g.account_id
        from counterfoil.payments g
        where g.payment_key = p.payment_key and g.bundle_id = p.bundle_id and g.environment = p.environment
            and g.granted_at is not null
            and (
                g.payment_key like 'web_order:%'
                or counterfoil.is_one_payment(
                    p.bundle_id, p.environment, p.original_transaction_id, p.product_kind, p.web_order_line_item_id, p.purchased_at,
                    g.product_kind, g.web_order_line_item_id, g.purchased_at)
            )
        union all
        select g.order_id, g.account_id
        from counterfoil.payments g
        where g.original_transaction_id = p.original_transaction_id and g.bundle_id = p.bundle_id and g.environment = p.environment
            and g.original_transaction_id <> g.transaction_id and g.transaction_id <> p.transaction_id and g.granted_at is not null
            and counterfoil.is_one_payment(
                p.bundle_id, p.environment, p.original_transaction_id, p.product_kind, p.web_order_line_item_id, p.purchased_at,
                g.product_kind, g.web_order_line_item_id, g.purchased_at)
        union all
        select g.order_id, g.account_id
        from counterfoil.payments g
        where p.transaction_id <> p.original_transaction_id and g.transaction_id = p.original_transaction_id
            and g.bundle_id = p.bundle_id and g.environment = p.environment and g.granted_at is not null
            and counterfoil.is_one_payment(
                p.bundle_id, p.environment, p.original_transaction_id, p.product_kind, p.web_order_line_item_id, p.purchased_at,
                g.product_kind, g.web_order_line_item_id, g.purchased_at)
        offset 0
    ) n
    -- Not looked up for a granted one.
    where p.order_id is null
    limit 1
) h on true
left join lateral (
    select t.share, t.is_whole, t.occurred_at
    from counterfoil.revocations_in_force t
    where t.original_transaction_id = p.original_transaction_id and t.bundle_id = p.bundle_id and t.environment = p.environment
        and (
            t.transaction_id = p.transaction_id
            or counterfoil.is_one_payment(
                p.bundle_id, p.environment, p.original_transaction_id, p.product_kind, p.web_order_line_item_id, p.purchased_at,
                (
                    select n.product_kind from counterfoil.payments n
                    where n.transaction_id = t.transaction_id and n.bundle_id = p.bundle_id and n.environment = p.environment
                ),
                t.web_order_line_item_id, t.purchased_at)
        )
    order by t.share is null, t.as_of desc, t.share desc
    limit 1
) r on true;

grant select on counterfoil.payment_states to counterfoil_worker;

create function counterfoil.tell_refund_in_force(of_order text) returns void
language sql set search_path = pg_catalog, pg_temp set enable_nestloop = on
as $$
    insert into counterfoil.changes (kind, order_id, order_version, share)
    select
        case when s.is_partly_refunded then 'order_partly_refunded' else 'refund_reversed' end, o.order_id, o.version,
        s.refunded_share
    from counterfoil.orders o
    join counterfoil.payment_states s on s.order_id = o.order_id
    where o.order_id = of_order
$$;

create function counterfoil.tell_orders() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp
-- The plan may be made for one order, and is kept: a loop would compare each of a hundred with each.
set enable_nestloop = off
as $$
declare
    unversioned text[];
    restored text[];
begin
    if exists (select from counterfoil.imports i where i.database_transaction = pg_current_xact_id()) then
        return null;
    end if;
    with moved as materialized (
        select
            n.order_id, greatest(n.version, o.version + 1) as version, n.state, n.reason, n.transaction_id, n.environment,
            n.version = o.version as is_unversioned, o.state = 'refunded' and n.state = 'fulfilled' as is_restored
        from became n
        join was o on o.order_id = n.order_id
        where (n.state <> o.state or n.reason is distinct from o.reason) and n.state <> 'open'
    ), told as (
        insert into counterfoil.changes (kind, order_id, order_version, transaction_id, environment, reason, share)
        select
            case m.state
                when 'fulfilled' then 'order_fulfilled'
                when 'refunded' then 'order_refunded'
                when 'rejected' then 'order_rejected'
                when 'review' then 'order_in_review'
                when 'cancelled' then 'order_cancelled'
            end,
            m.order_id, m.version, case when m.state <> 'fulfilled' then m.transaction_id end,
            case when m.state <> 'fulfilled' then m.environment end, m.reason, case when m.state = 'refunded' then 100000 end
        from moved m
        where not m.is_restored
    )
    select
        array_agg(m.order_id) filter (where m.is_unversioned), array_agg(m.order_id) filter (where m.is_restored)
    into unversioned, restored
    from moved m;

    if unversioned is not null then
        update counterfoil.orders o set version = o.version + 1 where o.order_id = any (unversioned);
    end if;
    if restored is not null then
        perform counterfoil.tell_refund_in_force(r.order_id) from unnest(restored) as r (order_id);
    end if;
    return null;
end
$$;

create trigger orders_are_told
    after update on counterfoil.orders
    referencing old table as was new table as became
    for each statement execute function counterfoil.tell_orders();

create function counterfoil.tell_unclaimed() returns trigger
language plpgsql security definer set search_path = pg_catalog, pg_temp
set enable_seqscan = off
as $$
declare
    silent constant text[] := '{restored,refunded,before_ledger}';
    ids text[];
    bundles text[];
    environments text[];
begin
    if tg_op = 'INSERT' then
        select array_agg(n.transaction_id), array_agg(n.bundle_id), array_agg(n.environment)
        into ids, bundles, environments
        from became n
        where n.reason <> all (silent);
    else
        select array_agg(n.transaction_id), array_agg(n.bundle_id), array_agg(n.environment)
        into ids, bundles, environments
        from became n
        join was o on o.transaction_id = n.transaction_id and o.bundle_id = n.bundle_id and o.environment = n.environment
        where n.reason <> o.reason
            and (o.reason = any (silent || array['renewal']) and n.reason <> all (silent || array['renewal']) or n.reason = 'renewal');
    end if;
    -- Most statements only grant.
    if ids is null then
        return null;
    end if;
    insert into counterfoil.changes (kind, transaction_id, environment, bundle_id, reason, share)
    select
        case s.state when 'renewal' then 'subscription_renewed' else 'payment_unclaimed' end, s.transaction_id, s.environment, s.bundle_id,
        s.reason, s.refunded_share
    from unnest(ids, bundles, environments) as e (transaction_id, bundle_id, environment)
    cross join lateral (
        select * from counterfoil.payment_states s
        where s.transaction_id = e.transaction_id and s.bundle_id = e.bundle_id and s.environment = e.environment
        offset 0
    ) s
    where s.state in ('unclaimed', 'renewal');
    return null;
end
$$;

create trigger unclaimed_payments_are_told
    after insert on counterfoil.payments
    referencing new table as became
    for each statement execute function counterfoil.tell_unclaimed();

create trigger payments_that_become_unclaimed_are_told
    after update on counterfoil.payments
    referencing old table as was new table as became
    for each statement execute function counterfoil.tell_unclaimed();

create view counterfoil.order_facts as
select
    o.order_id,
    o.bundle_id,
    o.product_id,
    o.account_id,
    o.quantity,
    o.app_account_token,
    o.recovery,
    o.created_at as ordered_at,
    o.state as order_state,
    o.transaction_id as order_transaction_id,
    o.last_attempt_at,
    p.kind as product_kind,
    coalesce(a.sandbox_open_until > now(), false)
        or case a.sandbox_policy
            when 'allow' then true
            when 'listed' then exists (
                select from counterfoil.sandbox_accounts s where s.bundle_id = o.bundle_id and s.account_id = o.account_id
            )
            else false
        end as allows_sandbox,
    a.absent_token_policy,
    extract(epoch from a.purchase_time_tolerance)::double precision as purchase_time_tolerance,
    a.ledger_starts_at,
    a.receipt_route,
    extract(epoch from a.confirm_after)::double precision as confirm_after,
    a.finish_transactions,
    a.policy_number
from counterfoil.orders o
join counterfoil.apps a on a.bundle_id = o.bundle_id
left join counterfoil.products p on p.bundle_id = o.bundle_id and p.product_id = o.product_id;

grant select on counterfoil.order_facts to counterfoil_worker;

reset role;
