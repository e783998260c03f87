-- The lanes that hold available jobs, by a loose index scan: one probe a lane however many jobs it holds.
with recursive used (lane) as (
    (select j.lane from counterfoil.jobs j where j.state = 'available' order by j.lane limit 1)
    union all
    select (
        select j.lane from counterfoil.jobs j where j.state = 'available' and j.lane > u.lane order by j.lane limit 1
    )
    from used u
    where u.lane is not null
)
select u.lane from used u where u.lane is not null
