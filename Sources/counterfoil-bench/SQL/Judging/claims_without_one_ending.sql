-- Each claim of a job has one ending: its attempt was settled once, or rescued once. A token that is missing was claimed and
-- never ended; one that is there twice was written by a stale worker.
select e.job_id, e.lease_token, e.endings
from (
    select
        a.job_id, a.lease_token, count(*) as endings,
        lag(a.lease_token, 1, 0::bigint) over (partition by a.job_id order by a.lease_token) as token_before
    from counterfoil.attempts a
    where a.disposition <> 'cancel'
    group by a.job_id, a.lease_token
) e
where e.endings <> 1 or e.lease_token <> e.token_before + 1
limit 100
