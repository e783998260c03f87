create or replace function counterfoil.make_attempt_partitions() returns integer
language sql security definer set search_path = pg_catalog, pg_temp
as $$
    select counterfoil.make_month_partitions('other_attempts', 'finished_at')
$$;
comment on function counterfoil.make_attempt_partitions() is
    'Makes the partitions of attempts for this month and the next two, and for those of the default partition, where nobody is in '
    'the way; returns how many it made.';

grant execute on function counterfoil.make_attempt_partitions() to counterfoil_worker;
