-- Only attempts that the roll-ups counted for good are dropped.

create or replace function counterfoil.drop_old_attempts(retention interval) returns integer
language sql security definer set search_path = pg_catalog, pg_temp
as $$
    select counterfoil.drop_month_partition('other_attempts', 'finished_at', least(now() - retention, m.final_to), 'select')
    from counterfoil.roll_up_marks m
$$;
comment on function counterfoil.drop_old_attempts(interval) is
    'Drops one partition of attempts that is past its retention, or a batch of rows without one; returns 0 when nothing was.';

grant execute on function counterfoil.drop_old_attempts(interval) to counterfoil_worker;
