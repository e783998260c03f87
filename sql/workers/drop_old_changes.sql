-- What is dropped is noted first: a cursor that may have missed it is unknown (changes_since).

create or replace function counterfoil.drop_old_changes(retention interval) returns integer
language sql security definer set search_path = pg_catalog, pg_temp
as $$
    -- No retention is shorter than thirty days.
    select counterfoil.drop_month_partition(
        'changes', 'at', now() - greatest(retention, interval '30 days'),
        'update counterfoil.feed f
        set dropped_xid = greatest(f.dropped_xid, (select max(c.xid) from counterfoil.%1$I c where c.at < %2$L)),
            dropped_id = greatest(f.dropped_id, (select max(c.id) from counterfoil.%1$I c where c.at < %2$L))'
    )
$$;
comment on function counterfoil.drop_old_changes(interval) is
    'Drops one partition of changes that is past its retention, or a batch of rows without one; returns 0 when nothing was.';

grant execute on function counterfoil.drop_old_changes(interval) to counterfoil_worker;
