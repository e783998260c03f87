-- Partitions of attempts for this month and the next two, and for what the default partition holds. Safe to call at any time, by any
-- worker, twice at once.
--
-- Making one needs the default partition alone for a moment. Where others are in the way, such as a backup, it gives up at
-- once: the default partition takes what has no other, and the next maintenance tries again.

create or replace function counterfoil.make_attempt_partitions() returns integer
language plpgsql security definer set search_path = pg_catalog, pg_temp set timezone = 'UTC' set datestyle = 'ISO'
    set lock_timeout = '200ms'
as $$
declare
    month timestamp;
    months timestamp[];
    made integer := 0;
    partition text;
begin
    begin
        -- Two at once: the second waits here, then finds it made. Whoever reads the default partition couldn't have it alone beside
        -- others who do. It is the lock that attaching a partition takes: who only reads or writes attempts can't hold it, nor waits.
        lock table only counterfoil.attempts in share update exclusive mode;
        months := array(
            select generate_series(
                date_trunc('month', now() at time zone 'UTC'),
                date_trunc('month', now() at time zone 'UTC') + interval '2 months',
                interval '1 month'
            )
            union
            -- Months that were over before anybody came by.
            select date_trunc('month', d.finished_at at time zone 'UTC') from counterfoil.attempts_default d
        );
    exception when lock_not_available then
        return 0;
    end;
    foreach month in array months loop
        partition := 'attempts_' || to_char(month, 'YYYY_MM');
        -- In the catalogue itself: what to_regclass remembers is not renewed by this kind of lock.
        continue when exists (
            select from pg_catalog.pg_class c
            where c.relname = partition and c.relnamespace = 'counterfoil'::regnamespace
        );
        begin
            -- Whoever inserts finds its partition before it waits for it: a row on its way to the default partition would be refused
            -- once it belongs elsewhere. No row is later than now.
            if month <= now() at time zone 'UTC' then
                lock table only counterfoil.attempts in share row exclusive mode;
            end if;
            -- Rows that the default partition took meanwhile move over; none may come while they do.
            lock table counterfoil.attempts_default in access exclusive mode;
            execute format('create table counterfoil.%I (like counterfoil.attempts including all)', partition);
            execute format(
                'with moved as (delete from counterfoil.attempts_default where finished_at >= %L and finished_at < %L returning *)
                 insert into counterfoil.%I select * from moved',
                month at time zone 'UTC', (month + interval '1 month') at time zone 'UTC', partition
            );
            execute format(
                'alter table counterfoil.attempts attach partition counterfoil.%I for values from (%L) to (%L)',
                partition, month at time zone 'UTC', (month + interval '1 month') at time zone 'UTC'
            );
        exception when lock_not_available then
            return made;
        end;
        made := made + 1;
    end loop;
    return made;
end
$$;
comment on function counterfoil.make_attempt_partitions() is
    'Makes the partitions of attempts for this month and the next two, and for those of the default partition, where nobody is in '
    'the way; returns how many it made.';

grant execute on function counterfoil.make_attempt_partitions() to counterfoil_worker;
