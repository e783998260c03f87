-- For each process that was killed: seconds until the last of the jobs that it held ran again; no row when it held none.
--
-- $1 int4[]  processes    $2 float8[]  when each was killed, in seconds since 1970
select k.place, max(extract(epoch from n.claimed_at) - k.killed_at)::double precision
from unnest($1::integer[], $2::double precision[]) with ordinality as k (pid, killed_at, place)
join counterfoil.workers w on w.pid = k.pid
join counterfoil.attempts r on r.worker_id = w.id and r.disposition = 'rescue'
cross join lateral (
    select min(a.claimed_at) as claimed_at
    from counterfoil.attempts a
    where a.job_id = r.job_id and a.lease_token = r.lease_token + 1
) n
group by k.place
having max(n.claimed_at) is not null
order by k.place
