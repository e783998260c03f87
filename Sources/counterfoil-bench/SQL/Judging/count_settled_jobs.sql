-- Jobs that were settled for good.
select count(distinct a.job_id) from counterfoil.attempts a where a.disposition in ('complete', 'discard')
