-- What became of one upload, and of each payment that its proof showed: for whoever uploads a second payment for one order, a
-- receipt with several, or one that pays for another order. A row a payment, the first purchase first; a single row where there is
-- none to tell of.
--
-- A payment of another account's isn't told. The history of an upload ends with its retention, but that of a plain grant.
--
-- A session plans the statement once, in its first call, for the reason that order_status_of gives.

create or replace function counterfoil.upload_status(job_id bigint, account_id text)
returns table (
    order_id text, bundle_id text, state text, reason text, client_action text, transaction_id text, environment text, product_id text,
    quantity integer, status text, paid_order_id text
)
language plpgsql stable security definer set search_path = pg_catalog, pg_temp
    -- Idiom: generic plan, also in the sessions of backends.
    set plan_cache_mode = force_generic_plan set enable_seqscan = off set jit = off
as $$
#variable_conflict use_column
begin
    return query
    with asked as materialized (
        select (select k.account_id from counterfoil.account_asked(upload_status.account_id) k) as account_id
    ), upload as materialized (
        select u.*
        from (
            select o.order_id, true as is_pending, j.reason, null::text as environment, null::text[] as ids
            from counterfoil.jobs j
            join counterfoil.orders o on o.number = j.order_number
            where j.id = upload_status.job_id and j.kind = 'verify' and j.state <> 'discarded'
                and (select n.account_id from counterfoil.account_now(o.account_id, o.number) n)
                    = (select k.account_id from asked k)
            union all
            (
                select
                    o.order_id, false, a.reason, a.environment, coalesce(a.shown_transaction_ids, array[a.transaction_id])
                from (
                    select r.order_id, r.number, r.created_at
                    from asked k
                    cross join lateral counterfoil.accounts_of(k.account_id) w
                    join counterfoil.orders r on r.account_id = w.account_id
                    where coalesce((select false from counterfoil.moved_orders m where m.order_number = r.number), true)
                    union all
                    select r.order_id, r.number, r.created_at
                    from asked k
                    cross join lateral counterfoil.accounts_of(k.account_id) w
                    join counterfoil.moved_orders m on m.account_id = w.account_id
                    join counterfoil.orders r on r.number = m.order_number
                ) o
                join counterfoil.attempts a on a.order_number = o.number and a.finished_at >= o.created_at
                where a.job_id = upload_status.job_id
                order by a.finished_at desc
                limit 1
            )
        ) u
        order by u.is_pending desc
        limit 1
    ), payment as (
        select
            s.transaction_id, s.environment, s.product_id, s.quantity, s.purchased_at, s.paid_order_id, s.status,
            -- As order_status has it: not for an order in review that is the same.
            case
                when s.client_action = 'order_again' and o.state = 'review' and s.transaction_id = o.transaction_id
                    and (s.product_id, s.quantity) = (o.product_id, o.quantity) then 'contact_support'
                else s.client_action
            end as client_action
        from upload u
        cross join asked k
        join counterfoil.orders o on o.order_id = u.order_id
        cross join lateral (
            select * from counterfoil.payment_answers p
            where p.transaction_id = any (u.ids) and p.bundle_id = o.bundle_id
                and (p.environment = u.environment or u.environment is null)
                and coalesce(p.paid_account_id, p.account_id, k.account_id) = k.account_id
            offset 0
        ) s
    )
    select
        u.order_id, s.bundle_id, case when u.is_pending then 'pending' else 'over' end,
        case when u.is_pending then s.reason else u.reason end,
        case
            when u.is_pending then case when u.reason = 'purchase_not_in_receipt' then 'resend_proof' else 'wait' end
            else coalesce(p.client_action, s.client_action)
        end,
        p.transaction_id, p.environment, p.product_id, p.quantity, p.status, p.paid_order_id
    from upload u
    join counterfoil.order_status s on s.order_id = u.order_id
    left join payment p on true
    order by p.purchased_at, p.transaction_id;
end
$$;
comment on function counterfoil.upload_status(bigint, text) is
    'What became of one upload of the account, and of each payment that its proof showed: status and client_action of each.';

grant execute on function counterfoil.upload_status(bigint, text) to counterfoil_backend, counterfoil_support;
