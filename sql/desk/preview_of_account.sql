-- Private: what an account has, in numbers, for whoever is about to act on it. A hundred thousand orders and ten thousand payments
-- are counted at most.
create or replace function counterfoil.preview_of_account(of_account text)
returns table (
    is_known boolean, account_now text, orders bigint, paid_orders bigint, open_orders bigint, pending_jobs bigint,
    unclaimed_payments bigint, moved_accounts bigint
)
language plpgsql stable security definer rows 1 set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan set enable_seqscan = off set jit = off
as $$
#variable_conflict use_column
begin
    return query
    select
        counterfoil.is_known_account(of_account), n.account_id, o.orders, o.paid, o.open, o.jobs, p.payments,
        (select count(*) from counterfoil.moved_accounts m where m.account_now = of_account)
    from counterfoil.account_now(of_account) n
    cross join lateral (
        select
            count(*) as orders, count(*) filter (where o.state in ('fulfilled', 'refunded')) as paid,
            count(*) filter (where counterfoil.waits_for_payment(o.state)) as open,
            coalesce(sum(
                case when counterfoil.waits_for_payment(o.state) then (
                    select count(*) from counterfoil.jobs j where j.order_number = o.number and j.state <> 'discarded'
                ) end
            ), 0)::bigint as jobs
        from counterfoil.orders_of_account(of_account, 100000) o
    ) o
    cross join lateral (
        select count(*) as payments
        from (
            select
            from (select k.account_id from counterfoil.accounts_of(of_account) k union select of_account) k
            cross join lateral (
                select from counterfoil.payments p where p.account_id = k.account_id and p.reason is not null limit 10000
            ) p
        ) p
    ) p;
end
$$;
comment on function counterfoil.preview_of_account(text) is 'Private: what an account has, in numbers.';
grant execute on function counterfoil.preview_of_account(text) to counterfoil_worker, counterfoil_support;
