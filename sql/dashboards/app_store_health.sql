-- Apple as our jobs see it: each gate, what waits behind it, and how many of its app's attempts failed lately in its environment.
-- Gates of one environment share those: an attempt may pass several. Those of local have none: nobody is asked.

create or replace view counterfoil.app_store_health as
select
    g.lane, g.bundle_id, g.route, g.environment, g.state, g.closed_by, g.why, g.closed_at, g.probe_at, g.failed_probes,
    coalesce(b.waiting, 0) as waiting_jobs, coalesce(b.due, 0) as due_jobs, b.oldest_run_at,
    coalesce(f.unavailable, 0) as unavailable_last_hour, coalesce(f.rate_limited, 0) as rate_limited_last_hour,
    coalesce(f.misconfigured, 0) as misconfigured_last_hour, coalesce(f.answered, 0) as answered_last_hour
from counterfoil.gates g
left join counterfoil.lane_backlogs b on b.lane = g.lane
left join (
    select
        m.bundle_id, m.environment,
        sum(m.attempts) filter (where m.reason = 'app_store_unavailable')::bigint as unavailable,
        sum(m.attempts) filter (where m.reason = 'rate_limited')::bigint as rate_limited,
        sum(m.attempts) filter (where m.reason = 'configuration')::bigint as misconfigured,
        sum(m.attempts) filter (
            where m.outcome in ('fulfilled', 'refunded', 'rejected', 'review', 'unchanged')
        )::bigint as answered
    from counterfoil.attempt_minutes m
    where m.minute >= now() - interval '1 hour'
    group by m.bundle_id, m.environment
) f on f.bundle_id = g.bundle_id and f.environment = g.environment;
comment on view counterfoil.app_store_health is
    'Each gate: open or closed, by whom and why, what waits behind it (10000 means so many or more), and its app''s '
    'failures of the last hour in its environment.';

alter view counterfoil.app_store_health owner to counterfoil_owner;
grant select on counterfoil.app_store_health to counterfoil_worker, counterfoil_support, counterfoil_reader;
