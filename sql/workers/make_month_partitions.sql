-- Partitions of a table for this month and the next two, and for what its default partition holds. Safe to call at any time, by any
-- worker, twice at once.
--
-- Making one needs the default partition alone for a moment. Where others are in the way, such as a backup, it gives up at
-- once: the default partition takes what has no other, and the next maintenance tries again.

create or replace function counterfoil.make_month_partitions(of_table text, by_column text) returns integer
language plpgsql set search_path = pg_catalog, pg_temp set timezone = 'UTC' set datestyle = 'ISO'
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
        -- others who do. It is the lock that attaching a partition takes: who only reads or writes rows can't hold it, nor waits.
        execute format('lock table only counterfoil.%I in share update exclusive mode', of_table);
        execute format(
            'select array(
                select generate_series(
                    date_trunc(''month'', now() at time zone ''UTC''),
                    date_trunc(''month'', now() at time zone ''UTC'') + interval ''2 months'',
                    interval ''1 month''
                )
                union
                -- Months that were over before anybody came by.
                select date_trunc(''month'', d.%I at time zone ''UTC'') from counterfoil.%I d
            )', by_column, of_table || '_default') into months;
    exception when lock_not_available then
        return 0;
    end;
    foreach month in array months loop
        partition := of_table || '_' || to_char(month, 'YYYY_MM');
        -- In the catalogue itself: what to_regclass remembers is not renewed by this kind of lock.
        continue when exists (
            select from pg_catalog.pg_class c
            where c.relname = partition and c.relnamespace = 'counterfoil'::regnamespace
        );
        begin
            -- Whoever inserts finds its partition before it waits for it: a row on its way to the default partition would be
            -- refused once it belongs elsewhere. No row is later than now.
            if month <= now() at time zone 'UTC' then
                execute format('lock table only counterfoil.%I in share row exclusive mode', of_table);
            end if;
            -- Rows that the default partition took meanwhile move over; none may come while they do.
            execute format('lock table counterfoil.%I in access exclusive mode', of_table || '_default');
            execute format('create table counterfoil.%I (like counterfoil.%I including all)', partition, of_table);
            execute format(
                'with moved as (delete from counterfoil.%1$I where %2$I >= %3$L and %2$I < %4$L returning *)
                 insert into counterfoil.%5$I select * from moved',
                of_table || '_default', by_column, month at time zone 'UTC', (month + interval '1 month') at time zone 'UTC', partition
            );
            execute format(
                'alter table counterfoil.%I attach partition counterfoil.%I for values from (%L) to (%L)',
                of_table, partition, month at time zone 'UTC', (month + interval '1 month') at time zone 'UTC'
            );
        exception when lock_not_available then
            return made;
        end;
        made := made + 1;
    end loop;
    return made;
end
$$;
comment on function counterfoil.make_month_partitions(text, text) is
    'Private: makes the partitions of a table for this month and the next two, and for those of the default partition, where nobody '
    'is in the way; returns how many it made.';
