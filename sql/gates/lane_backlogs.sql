-- Private: what waits in each lane that holds any job. A count of 10000 means that many or more.
--
-- Idioms: loose index scan, a range scan for each priority, bounded count.

create or replace view counterfoil.lane_backlogs as
with recursive used (lane) as (
    (select j.lane from counterfoil.jobs j where j.state = 'available' order by j.lane limit 1)
    union all
    select (
        select j.lane from counterfoil.jobs j where j.state = 'available' and j.lane > u.lane order by j.lane limit 1
    )
    from used u
    where u.lane is not null
)
select
    u.lane,
    (
        select count(*) from (
            select from counterfoil.jobs j where j.state = 'available' and j.lane = u.lane limit 10000
        ) as few
    ) as waiting,
    (
        select count(*) from (
            select
            from generate_series(0, 3) as p (priority)
            cross join lateral (
                select
                from counterfoil.jobs j
                where j.state = 'available' and j.lane = u.lane and j.priority = p.priority and j.run_at <= now()
                limit 10000
            ) as due
            limit 10000
        ) as few
    ) as due,
    (
        select min(o.run_at)
        from generate_series(0, 3) as p (priority)
        cross join lateral (
            select j.run_at
            from counterfoil.jobs j
            where j.state = 'available' and j.lane = u.lane and j.priority = p.priority
            order by j.run_at
            limit 1
        ) as o
    ) as oldest_run_at
from used u
where u.lane is not null;
comment on view counterfoil.lane_backlogs is 'Private: what waits in each lane; a count of 10000 means that many or more.';

alter view counterfoil.lane_backlogs owner to counterfoil_owner;
grant select on counterfoil.lane_backlogs to counterfoil_worker, counterfoil_support, counterfoil_reader;
