-- Drops history past its retention: one partition a call, then a batch of what the default partition holds.
--
-- Dropping needs the table alone for a moment. It gives up at once where others are in the way and is tried again with
-- the next maintenance, so that settlements hardly wait. Only attempts that the roll-ups counted for good are dropped.
--
-- Idioms: lock first, ctid.

create or replace function counterfoil.drop_old_attempts(retention interval) returns integer
language plpgsql security definer set search_path = pg_catalog, pg_temp set timezone = 'UTC' set datestyle = 'ISO'
    set lock_timeout = '200ms'
as $$
declare
    horizon timestamptz;
    old record;
    removed integer;
begin
    select least(now() - retention, m.final_to) into horizon from counterfoil.roll_up_marks m;

    for old in
        select c.relname
        from pg_catalog.pg_inherits i
        join pg_catalog.pg_class c on c.oid = i.inhrelid
        where i.inhparent = 'counterfoil.attempts'::regclass and c.relname ~ '^attempts_[0-9]{4}_[0-9]{2}$'
            and (to_date(substr(c.relname, 10), 'YYYY_MM') + interval '1 month') at time zone 'UTC' <= horizon
        order by c.relname
        limit 1
    loop
        begin
            execute format('drop table counterfoil.%I', old.relname);
            return 1;
        exception when lock_not_available or undefined_table then
            -- Somebody uses it, or another worker was faster.
            return 0;
        end;
    end loop;

    with past as materialized (
        select a.ctid from counterfoil.attempts_default a
        where a.finished_at < horizon
        limit 1000
        for update skip locked
    )
    delete from counterfoil.attempts_default a using past where a.ctid = past.ctid;
    get diagnostics removed = row_count;
    return (removed > 0)::integer;
end
$$;
comment on function counterfoil.drop_old_attempts(interval) is
    'Drops one partition of attempts that is past its retention, or a batch of rows without one; returns 0 when nothing was.';

grant execute on function counterfoil.drop_old_attempts(interval) to counterfoil_worker;
