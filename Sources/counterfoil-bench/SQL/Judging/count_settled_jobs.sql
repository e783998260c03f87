-- Jobs that were settled for good, and the attempts that ended jobs by the short path and by the careful one.
select
    (select count(distinct a.job_id) from counterfoil.attempts a where a.disposition in ('complete', 'discard')),
    (select count(*) from counterfoil.payments p where p.lease_token is not null),
    (select count(*) from counterfoil.other_attempts a where a.disposition = 'complete' and a.proof_kind is not null)
