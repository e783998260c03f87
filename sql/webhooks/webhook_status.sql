-- The endpoints of webhooks, and how each fares.
--
-- state: on; stopped, while nothing new is read, since a thousand events wait or the last twenty calls failed; off.
-- Waiting: events that will be tried, those behind them, and those that were given up. unread: changes that wait in the feed, where
-- its end wasn't read lately; 1000 stands for more, and null for unknown. Addresses aren't shown: some hold a secret.

create or replace view counterfoil.webhook_status as
select
    e.name, e.bundle_ids, e.kinds, e.rate, e.in_flight,
    case
        when e.off_since is not null then 'off'
        when q.events >= 1000 or e.failures >= 20 and q.waiting > 0 then 'stopped'
        else 'on'
    end as state,
    e.off_since, e.off_because, q.waiting, q.behind, q.given_up, u.unread,
    -- Of what isn't handled, the age of the oldest that will be tried; while the feed isn't read, how long that has been so.
    greatest(
        0, extract(epoch from clock_timestamp() - q.oldest),
        case
            when u.unread > 0 or e.read_at < clock_timestamp() - interval '1 minute'
                then extract(epoch from clock_timestamp() - e.read_at)
        end
    )::double precision as lag_seconds,
    e.handled, e.failed, e.failures as failures_in_a_row, e.failing_since, e.last_handled_at, e.last_error, e.last_error_at, e.pace,
    greatest(e.paused_until, '-infinity') as paused_until, e.began_anew_at, e.made_at, e.made_by
from counterfoil.webhook_endpoints e
cross join lateral (
    select
        count(*) as events, count(*) filter (where v.next_at < 'infinity') as waiting,
        count(*) filter (where v.next_at = 'infinity') as behind, count(*) filter (where v.next_at is null) as given_up,
        min(v.changed_at) filter (where v.next_at is not null) as oldest
    from counterfoil.webhook_events v
    where v.endpoint = e.number and v.change_id >= 0
) q
cross join lateral (
    select case
        when e.read_at < clock_timestamp() - interval '10 seconds'
            then counterfoil.unread_changes(e.cursor, e.bundle_ids, e.kinds)
        else 0
    end as unread
) u;
comment on view counterfoil.webhook_status is 'The endpoints of webhooks: what waits for each, how late it is, and its last error.';

grant select on counterfoil.webhook_status to counterfoil_worker, counterfoil_support, counterfoil_reader;
