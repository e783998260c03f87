-- Takes the catch-up of one app and environment that is due, for two minutes: from which time on Apple is asked, until when, and
-- whether for all, or only for what didn't arrive. No row when none is due.
--
-- Apple remembers 180 days, of the sandbox 30: appstoreserverapi/get-notification-history. A day is asked for again, as retries may
-- have come late. All of a week is asked for once a week.
--
-- $1 float8  seconds after which one is due again
--
-- Idiom: lock first.
with due as materialized (
    select c.bundle_id, c.environment, c.caught_up_to, c.whole_at
    from counterfoil.catch_ups c
    where (c.held_until is null or c.held_until <= now())
        and (c.due_at <= now() or c.tried_at <= now() - make_interval(secs => $1::double precision))
    order by c.due_at
    limit 1
    for no key update skip locked
), taken as (
    update counterfoil.catch_ups c
    set held_until = now() + interval '2 minutes', tried_at = now()
    from due d
    where c.bundle_id = d.bundle_id and c.environment = d.environment
)
select
    d.bundle_id, d.environment, now() as until, d.whole_at is null or d.whole_at < now() - interval '7 days' as is_whole,
    greatest(
        coalesce(
            case when d.whole_at < now() - interval '7 days' then d.whole_at else d.caught_up_to end - interval '1 day', '-infinity'),
        -- Not to the moment: Apple refuses an earlier beginning.
        now() - case d.environment when 'production' then interval '180 days' else interval '30 days' end + interval '10 minutes'
    ) as since
from due d
