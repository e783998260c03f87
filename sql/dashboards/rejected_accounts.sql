-- How many accounts had a proof rejected, by app and reason: the last hour beside the hour before, and the last day beside the day
-- before.
--
-- Accounts are counted, not proofs: an attacker who uploads junk by one account counts once, and so does a customer whose app sends
-- the same proof again and again. A number rises if it is more than chance and growth explain: at least twice the expected number,
-- and three standard deviations above it. Expected is the number before, and one, times the growth of the app's grants. So 12
-- accounts rise where there were none before.
--
-- The cost is bounded while every proof is rejected: of each app and minute, 500 accounts are read. The days are for shops with
-- fewer than 12 such accounts an hour: past 5000 rows in two days they are null. Grants by day are those of whole hours.
--
-- Idioms: a range scan for each minute, bounded count.

create or replace view counterfoil.rejected_accounts as
with days as materialized (
    select s.bundle_id, s.reason, s.account_id, s.minute
    from counterfoil.suspicion_minutes s
    where s.minute >= now() - interval '48 hours'
    order by s.minute desc
    limit 5000
), seen as (
    select
        b.bundle_id, s.reason, s.account_id, m.minute > date_trunc('minute', now()) - interval '1 hour' as last_hour,
        m.minute <= date_trunc('minute', now()) - interval '1 hour' as hour_before, false as last_day, false as day_before
    from counterfoil.apps b
    cross join (
        select date_trunc('minute', now()) - g.ago * interval '1 minute' as minute
        from generate_series(0, 119) as g (ago)
    ) m
    cross join lateral (
        select f.reason, f.account_id
        from counterfoil.suspicion_minutes f
        where f.minute = m.minute and f.bundle_id = b.bundle_id
        order by f.account_id, f.reason
        limit 500
    ) s
    union all
    select
        d.bundle_id, d.reason, d.account_id, false, false, d.minute >= now() - interval '24 hours',
        d.minute < now() - interval '24 hours'
    from days d
), accounts as (
    select
        s.bundle_id, s.reason, s.account_id, bool_or(s.last_hour) as last_hour, bool_or(s.hour_before) as hour_before,
        bool_or(s.last_day) as last_day, bool_or(s.day_before) as day_before
    from seen s
    group by s.bundle_id, s.reason, s.account_id
), counted as (
    select
        a.bundle_id, a.reason, count(*) filter (where a.last_hour) as last_hour,
        count(*) filter (where a.hour_before) as hour_before,
        case when w.are_whole then count(*) filter (where a.last_day) end as last_day,
        case when w.are_whole then count(*) filter (where a.day_before) end as day_before
    from accounts a
    cross join (select count(*) < 5000 as are_whole from days) w
    group by a.bundle_id, a.reason, w.are_whole
), growth as (
    select
        b.bundle_id, greatest(1, (1 + h.last_hour) / (1 + h.hour_before)) as by_hour,
        greatest(1, (1 + d.last_day) / (1 + d.day_before)) as by_day
    from counterfoil.apps b
    cross join lateral (
        select
            coalesce(sum(m.attempts) filter (where m.minute > date_trunc('minute', now()) - interval '1 hour'), 0) as last_hour,
            coalesce(sum(m.attempts) filter (where m.minute <= date_trunc('minute', now()) - interval '1 hour'), 0) as hour_before
        from counterfoil.attempt_minutes m
        where m.minute > date_trunc('minute', now()) - interval '2 hours' and m.bundle_id = b.bundle_id
            and m.outcome = 'fulfilled'
    ) h
    cross join lateral (
        select
            coalesce(sum(m.attempts) filter (where m.hour >= now() - interval '24 hours'), 0) as last_day,
            coalesce(sum(m.attempts) filter (where m.hour < now() - interval '24 hours'), 0) as day_before
        from counterfoil.attempt_hours m
        where m.hour >= now() - interval '48 hours' and m.bundle_id = b.bundle_id and m.outcome = 'fulfilled'
    ) d
    where b.bundle_id in (select c.bundle_id from counted c)
)
select
    c.bundle_id, c.reason, c.last_hour, c.hour_before, c.last_day, c.day_before,
    c.last_hour >= 2 * e.by_hour and (c.last_hour - e.by_hour) ^ 2 > 9 * (c.last_hour + e.by_hour) as rises_by_hour,
    coalesce(c.last_day >= 2 * e.by_day and (c.last_day - e.by_day) ^ 2 > 9 * (c.last_day + e.by_day), false) as rises_by_day
from counted c
join growth g on g.bundle_id = c.bundle_id
cross join lateral (
    select (c.hour_before + 1) * g.by_hour as by_hour, (c.day_before + 1) * g.by_day as by_day
) e;
comment on view counterfoil.rejected_accounts is
    'Accounts that had a proof rejected, or held back as another''s, by app and reason: the last hour and day beside the time before, '
    'and whether that is more than chance.';

alter view counterfoil.rejected_accounts owner to counterfoil_owner;
grant select on counterfoil.rejected_accounts to counterfoil_worker, counterfoil_support, counterfoil_reader;
