-- Removes counts past their retention, and orders that left review, a batch of each table at a time. Any worker may call it,
-- also while another does.
--
-- Idioms: lock first, ctid.

create or replace function counterfoil.prune_roll_ups(minutes_kept interval, hours_kept interval, most integer)
returns integer
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
declare
    counted record;
    removed integer;
    most_removed integer := 0;
begin
    for counted in
        select c.*
        from (
            values
                ('attempt_minutes', 'minute', minutes_kept), ('latency_minutes', 'minute', minutes_kept),
                ('product_minutes', 'minute', minutes_kept), ('suspicion_minutes', 'minute', minutes_kept),
                ('attempt_hours', 'hour', hours_kept), ('latency_hours', 'hour', hours_kept),
                ('product_hours', 'hour', hours_kept)
        ) as c (name, time, kept)
    loop
        execute format(
            'with past as materialized (
                 select c.ctid from counterfoil.%1$I c where c.%2$I < now() - $1 order by c.%2$I limit $2
                 for update skip locked
             )
             delete from counterfoil.%1$I c using past where c.ctid = past.ctid',
            counted.name, counted.time
        ) using counted.kept, most;
        get diagnostics removed = row_count;
        most_removed := greatest(most_removed, removed);
    end loop;

    with past as materialized (
        select w.order_id
        from counterfoil.orders_in_review w
        join counterfoil.orders o on o.order_id = w.order_id
        where o.state <> 'review'
        limit most
        for update of w skip locked
    )
    delete from counterfoil.orders_in_review w using past where w.order_id = past.order_id;
    get diagnostics removed = row_count;
    return greatest(most_removed, removed);
end
$$;
comment on function counterfoil.prune_roll_ups(interval, interval, integer) is
    'Removes counts past their retention; returns the most rows removed from one table: as many as allowed means '
    'that there may be more.';

grant execute on function counterfoil.prune_roll_ups(interval, interval, integer) to counterfoil_worker;
