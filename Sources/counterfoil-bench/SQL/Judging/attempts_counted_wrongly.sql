-- An attempt is charged when it is claimed, so that a crash counts; a snooze and a release give it back.
select e.job_id, e.lease_token, e.attempt, e.attempt_before, e.disposition_before
from (
    select
        a.job_id, a.lease_token, a.attempt,
        lag(a.attempt) over w as attempt_before, lag(a.disposition) over w as disposition_before
    from counterfoil.attempts a
    where a.disposition <> 'cancel'
    window w as (partition by a.job_id order by a.lease_token)
) e
where e.attempt <> coalesce(e.attempt_before, 0)
    + case when coalesce(e.disposition_before, 'rescue') in ('snooze', 'release') then 0 else 1 end
limit 100
