-- A cursor for changes_since that begins anew: with the changes from a time on, and what was told up to a minute before it.
-- 'infinity' begins with what isn't committed yet, '-infinity' with all that is kept.
--
-- Changes bear the time at which they were numbered, so that the first of them is found in some thirty look-ups.
--
-- Who begins with what isn't committed yet, and soon has to begin anew (changes_from_cursor), wants what was written since the
-- oldest of the database transactions that are open now began. That is looked up before the snapshot, so that none ends in between;
-- at a level above read committed, one may. Of a prepared one the beginning isn't known.

create or replace function counterfoil.changes_from(since timestamptz) returns text
language plpgsql security definer set search_path = pg_catalog, pg_temp
set enable_seqscan = off set enable_bitmapscan = off set plan_cache_mode = force_generic_plan set jit = off
as $$
declare
    -- A session may be held up between a time and its number, and clocks may be set back.
    slack constant interval := '1 minute';
    server constant text := counterfoil.open_feed();
    open_since constant timestamptz := least(clock_timestamp(), (
        select min(a.xact_start) from pg_stat_activity a where a.backend_xid is not null and a.datname = current_database()
    ));
    seen constant pg_snapshot := counterfoil.read_snapshot();
    -- Whoever begins at a time was told what came before it, or doesn't want it.
    told constant text := concat(
        case
            when changes_from.since > '-infinity'
                then floor(extract(epoch from least(changes_from.since, open_since)) * 1000000)::bigint
        end,
        ',,');
    first_id bigint;
    end_id bigint;
    middle record;
begin
    if changes_from.since is null then
        perform counterfoil.refuse('changes_begin_at_a_time');
    end if;
    if changes_from.since >= clock_timestamp() then
        return concat(server, '/', seen, '///', counterfoil.told_after(told, seen), '.');
    end if;
    select min(c.id), max(c.id) + 1 into first_id, end_id from counterfoil.changes c;
    while first_id < end_id loop
        select c.id, c.at into middle
        from counterfoil.changes c
        where c.id >= first_id + (end_id - first_id) / 2
        order by c.id
        limit 1;
        if middle.at >= changes_from.since - slack then
            end_id := first_id + (end_id - first_id) / 2;
        else
            first_id := middle.id + 1;
        end if;
    end loop;
    -- A snapshot that sees nothing, and pages that begin there.
    return concat(server, '/1:1:/', seen, '/', coalesce(first_id * 1000, 1) - 1, '/', told, '.');
end
$$;
comment on function counterfoil.changes_from(timestamptz) is
    'The feed: a cursor for changes_since that begins with the changes from a time on.';

grant execute on function counterfoil.changes_from(timestamptz)
    to counterfoil_backend, counterfoil_support, counterfoil_reader;
