-- Private: orders of a product that were made around the time of a payment and that it may still pay for, the nearest first:
-- candidates for a person, and nobody grants by them. It looks at 2000 orders before the time and 2000 after it, at most an hour
-- away.

create or replace function counterfoil.orders_around(
    of_bundle text, of_product text, of_quantity integer, paid_at timestamptz, most integer
)
returns table (order_id text, account_id text, created_at timestamptz)
language plpgsql stable security definer rows 5 set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan set enable_seqscan = off set jit = off
as $$
#variable_conflict use_column
declare
    middle bigint := counterfoil.order_number_at(paid_at);
begin
    return query
    select n.order_id, n.account_id, n.created_at
    from (
        (select * from counterfoil.orders o where o.number < middle order by o.number desc limit 2000)
        union all
        (select * from counterfoil.orders o where o.number >= middle order by o.number limit 2000)
    ) n
    where n.bundle_id = of_bundle and n.product_id = of_product and n.quantity <= of_quantity
        and n.created_at between paid_at - interval '1 hour' and paid_at + interval '1 hour'
        and counterfoil.waits_for_payment(n.state)
    order by greatest(n.created_at - paid_at, paid_at - n.created_at), n.order_id
    limit most;
end
$$;
comment on function counterfoil.orders_around(text, text, integer, timestamptz, integer) is
    'Private: orders that a payment may have been made for, by its time.';
grant execute on function counterfoil.orders_around(text, text, integer, timestamptz, integer)
    to counterfoil_worker, counterfoil_support, counterfoil_reader;
