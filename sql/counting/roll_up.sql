-- Counts what happened, a minute at a time, for the dashboards. Safe to call at any time, by any worker, twice at once.
--
-- A minute is counted when it is over. Ten minutes later it is checked once more, for good, and counted again when
-- something showed up since: an attempt bears the time at which its settlement began and shows when that has committed,
-- and the timeouts of the worker's role end a settlement before that. An order of a shop whose database transaction
-- lasts longer isn't counted. Where the database's clock was put back, counting goes on from there. Counting a minute again
-- writes the same rows, so that nothing is counted twice whatever crashes; where nothing happened, up to a day goes at once.
-- Hours follow their minutes each time.

create or replace function counterfoil.roll_up() returns integer
language plpgsql security definer set search_path = pg_catalog, pg_temp set timezone = 'UTC'
    set enable_bitmapscan = on set enable_seqscan = off set plan_cache_mode = force_custom_plan set jit = off
as $$
declare
    -- An attempt's settlement may begin in the last moments of a minute and end shortly afterwards.
    settling constant interval := '5 seconds';
    finality constant interval := '10 minutes';
    most_at_once constant integer := 20000;
    mark record;
    first_minute timestamptz;
    past_last timestamptz;
    step interval;
    is_final boolean;
    has_grown boolean := true;
begin
    select m.counted_to, m.final_to into mark from counterfoil.roll_up_marks m for update skip locked;
    if not found then
        return 0;
    end if;

    -- The clock was ahead when these were counted. What happened since it is right comes before them: begin anew there.
    if mark.counted_to > now() + interval '1 minute' then
        update counterfoil.roll_up_marks m
        set counted_to = last.minute, final_to = last.minute
        from (
            select coalesce(max(c.minute), date_trunc('minute', now())) as minute
            from counterfoil.attempt_minutes c
            where c.minute < date_trunc('minute', now())
        ) last
        returning m.counted_to, m.final_to into mark;
    end if;

    if mark.final_to + interval '1 minute' <= now() - finality then
        is_final := true;
        first_minute := mark.final_to;
        foreach step in array array['1 day', '1 hour', '1 minute']::interval[] loop
            past_last := first_minute + step;
            exit when step = interval '1 minute';
            continue when past_last > now() - finality;
            exit when (
                select count(*) from (
                    (
                        select from counterfoil.attempts a
                        where a.finished_at >= first_minute and a.finished_at < past_last limit most_at_once
                    )
                    union all
                    (
                        select from counterfoil.orders o
                        where o.created_at >= first_minute and o.created_at < past_last limit most_at_once
                    )
                ) as happened
            ) < most_at_once;
        end loop;
    elsif mark.counted_to + interval '1 minute' <= now() - settling then
        is_final := false;
        first_minute := mark.counted_to;
        past_last := first_minute + interval '1 minute';
    else
        return 0;
    end if;

    -- History only grows: what has as many attempts and orders as were counted is as it was.
    if past_last <= mark.counted_to then
        select
            (
                select count(*) from counterfoil.attempts a
                where a.finished_at >= first_minute and a.finished_at < past_last
            ) <> (
                select coalesce(sum(m.attempts), 0) from counterfoil.attempt_minutes m
                where m.minute >= first_minute and m.minute < past_last
            )
            or (
                select count(*) from counterfoil.orders o
                where o.created_at >= first_minute and o.created_at < past_last
            ) <> (
                select coalesce(sum(m.ordered), 0) from counterfoil.product_minutes m
                where m.minute >= first_minute and m.minute < past_last
            )
        into has_grown;
    end if;

    if has_grown then
        perform counterfoil.roll_up_minutes(first_minute, past_last);
    end if;

    -- Also where nothing has grown: an hour follows all of its minutes.
    perform counterfoil.roll_up_hours(
        date_trunc('hour', first_minute), date_trunc('hour', past_last - interval '1 microsecond') + interval '1 hour');
    if is_final then
        update counterfoil.roll_up_marks m set final_to = past_last, counted_to = greatest(m.counted_to, past_last);
    else
        update counterfoil.roll_up_marks m set counted_to = past_last;
    end if;
    return (extract(epoch from past_last - first_minute) / 60)::integer;
end
$$;
comment on function counterfoil.roll_up() is
    'Counts the next minutes that are over; returns how many, 0 when none is due or another worker counts.';

grant execute on function counterfoil.roll_up() to counterfoil_worker;
