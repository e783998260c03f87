-- Whether what this server acknowledges is on another one too: one row, with level and mend as those of health.
--
-- A level above ok needs a standby that is meant to be there: synchronous_standby_names is set, a standby streams, or an inactive
-- slot keeps the log for one.

create or replace view counterfoil.replication as
with facts as (
    select
        f.*,
        case f.standbys when 1 then '1 standby' else f.standbys || ' standbys' end as counted,
        case f.waiting
            when 0 then 'no session waits for it'
            when 1 then '1 session waits for it, for ' || date_trunc('second', f.waits_for)
            else format('%s sessions wait for it, the longest for %s', f.waiting, date_trunc('second', f.waits_for))
        end as waiters
    from counterfoil.replication_facts() f
),
judged as (
    select
        1 as place,
        case
            when f.is_standby then case when f.is_streaming or not f.sees_sessions then 'ok' else 'warning' end
            when f.needed is null and f.standbys = 0 then 'ok'
            when f.needed is null or not f.sees_sessions then 'warning'
            when f.confirming < f.needed then 'critical'
            else 'ok'
        end as level,
        case
            when f.is_standby and not f.sees_sessions then 'this server is a standby'
            when f.is_standby and f.is_streaming then 'this server is a standby, and streams'
            when f.is_standby then 'this server is a standby, and streams from nobody'
            when f.needed is null and f.standbys = 0
                then 'none: no standby streams, synchronous_standby_names is empty; what is acknowledged is on this server alone'
            when not f.sees_sessions
                then format(
                    '%s; %s connected, and whether they confirm is hidden',
                    case when f.needed is null then 'asynchronous' else 'synchronous_standby_names = ' || f.sync_names end,
                    f.counted
                )
            when f.needed is null
                then format(
                    'asynchronous: %s (%s), %s behind; a failover may lose what was acknowledged just before it', f.counted, f.list,
                    pg_size_pretty(f.behind)
                )
            when f.confirming < f.needed
                then format(
                    'synchronous, and nothing can be settled: a commit waits for %s (synchronous_standby_names = %s), and %s; %s',
                    case f.needed when 1 then '1 standby' else f.needed || ' standbys' end, f.sync_names,
                    case f.confirming when 0 then 'none confirms' else 'only ' || f.confirming || ' of them' end
                        || coalesce(' (' || f.list || ')', ''), f.waiters
                )
            else format(
                'synchronous: a commit waits for %s of %s (%s), %s behind; %s', f.needed, f.counted, f.list,
                pg_size_pretty(f.behind), f.waiters
            )
        end as finding,
        case
            when f.is_standby then 'see whether its primary is up, and primary_conninfo'
            when not f.sees_sessions then 'as a superuser: grant pg_monitor to counterfoil_owner'
            when f.needed is null
                then 'set synchronous_standby_names (FAILOVER.md); a standby for reading, which is never promoted, needs none'
            else 'start that standby (FAILOVER.md, "No standby confirms")'
        end as mend
    from facts f
    union all
    -- A standby that is connected, and doesn't answer. A confirmation takes milliseconds.
    select
        2, 'critical', 'a commit has waited for ' || date_trunc('second', f.waits_for),
        'see that standby''s disk and network (FAILOVER.md, "No standby confirms")'
    from facts f
    where f.waits_for >= interval '5 seconds' and f.confirming >= f.needed
    union all
    select
        3, 'warning',
        concat_ws(
            ', ', 'a standby is ' || pg_size_pretty(f.behind) || ' behind',
            'writes the log ' || date_trunc('second', f.flush_lag) || ' later'
        ),
        'see its disk and network'
    from facts f
    where f.standbys > 0 and (f.behind > 268435456 or f.flush_lag >= interval '30 seconds')
    union all
    select
        4, case when f.slot_bytes > 20 * 1073741824::bigint then 'critical' else 'warning' end,
        'inactive slots keep this server''s log: ' || f.slots,
        'start the standby or the reader of that slot; if it is gone for good: select pg_drop_replication_slot(NAME)'
    from facts f
    where f.slots is not null
    union all
    select
        5, 'warning', 'a commit doesn''t wait for a standby where synchronous_commit is lower than on: ' || f.lax,
        'reset synchronous_commit there'
    from facts f
    where f.lax is not null and (f.needed is not null or f.standbys > 0)
)
select
    case
        when bool_or(j.level = 'critical') then 'critical'
        when bool_or(j.level = 'warning') then 'warning'
        else 'ok'
    end as level,
    string_agg(j.finding, '; ' order by j.place) as finding,
    string_agg(j.mend, '; ' order by j.place) filter (where j.level <> 'ok') as mend
from judged j;
comment on view counterfoil.replication is
    'Whether commits wait for a standby, which standbys stream, how far they are behind, who waits for one, and which inactive '
    'slots keep the log: one row, with its level and how to mend it.';

alter view counterfoil.replication owner to counterfoil_owner;
grant select on counterfoil.replication to counterfoil_worker, counterfoil_support, counterfoil_reader;
