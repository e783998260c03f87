-- The account whose order a payment answered without paying for it: the order was refunded for it, or is in review because a part
-- of it was refunded. Of several the first. Idiom: generic plan, array of one.
create or replace function counterfoil.account_that_was_answered(of_bundle text, of_environment text, of_id text) returns text
language plpgsql stable security definer set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan set enable_seqscan = off set jit = off
as $$
begin
    return (
        select n.account_id
        from (select a.order_number from counterfoil.answered_orders a where a.transaction_id = of_id offset 0) a
        join counterfoil.orders o on o.number = any (array[a.order_number])
        cross join lateral counterfoil.account_now(o.account_id, o.number) n
        where o.bundle_id = of_bundle and o.transaction_id = of_id and o.environment = of_environment
            and (o.state = 'refunded' or o.state = 'review' and o.reason = 'partly_refunded')
        order by o.created_at, o.order_id
        limit 1
    );
end
$$;
comment on function counterfoil.account_that_was_answered(text, text, text) is
    'Private: the account whose order a payment answered without paying for it.';
grant execute on function counterfoil.account_that_was_answered(text, text, text)
    to counterfoil_backend, counterfoil_worker, counterfoil_support, counterfoil_reader;
