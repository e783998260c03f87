-- The orders of an app that are open, and were made after one time and up to another.
--
-- The index by time is of block ranges (orders_by_time), which only a bitmap scan reads, and workers otherwise make none: else all orders
-- would be read.
create or replace function counterfoil.open_orders_between(of_bundle text, after timestamptz, until timestamptz)
returns table (order_id text, account_id text)
language plpgsql stable rows 100 set search_path = pg_catalog, pg_temp
    set enable_bitmapscan = on
    set max_parallel_workers_per_gather = 0
    set enable_indexscan = off
    set enable_indexonlyscan = off
    set enable_seqscan = off
as $$
#variable_conflict use_column
begin
    return query
    select o.order_id, o.account_id
    from counterfoil.orders o
    where o.created_at > open_orders_between.after and o.created_at <= open_orders_between.until
        and o.bundle_id = open_orders_between.of_bundle and o.state = 'open';
end
$$;
comment on function counterfoil.open_orders_between(text, timestamptz, timestamptz) is
    'Private: the open orders of an app that were made in some time.';
grant execute on function counterfoil.open_orders_between(text, timestamptz, timestamptz) to counterfoil_worker;
