-- Private: the number from which on orders were made at a time or later; null where there is no order. Orders are numbered in the
-- order of time, but for those of long transactions, so that a caller reads an hour more on both sides. It looks at some forty
-- orders, however many there are.

create or replace function counterfoil.order_number_at(at timestamptz) returns bigint
language plpgsql stable strict security definer set search_path = pg_catalog, pg_temp
set plan_cache_mode = force_generic_plan set enable_seqscan = off set jit = off
as $$
declare
    low bigint := (select o.number from counterfoil.orders o order by o.number limit 1);
    high bigint := (select o.number + 1 from counterfoil.orders o order by o.number desc limit 1);
    middle bigint;
    made record;
begin
    while low < high loop
        middle := low + (high - low) / 2;
        select o.number, o.created_at into made
        from counterfoil.orders o
        where o.number >= middle and o.number < high
        order by o.number
        limit 1;
        if not found or made.created_at >= order_number_at.at then
            high := middle;
        else
            low := made.number + 1;
        end if;
    end loop;
    return low;
end
$$;
comment on function counterfoil.order_number_at(timestamptz) is 'Private: the number of the first order that was made at a time or later.';
grant execute on function counterfoil.order_number_at(timestamptz) to counterfoil_worker, counterfoil_support, counterfoil_reader;
