-- Puts jobs back for a later attempt, or leaves them as given up.
--
-- Parameters, an element a job: $1, $2, $3, $4, $5, $6, $7, $8, $9, $10.
--
-- Idioms: array of one, lease not state.
update counterfoil.jobs j
set state = case when s.discards then 'discarded' else 'available' end,
    is_alone = false,
    run_at = now() + make_interval(secs => s.delay),
    attempt = j.attempt - (not s.counts)::integer,
    lane = coalesce(s.lane, j.lane),
    -- The reason of an earlier attempt stays until another attempt counts.
    reason = case when s.counts then s.reason else coalesce(s.reason, j.reason) end,
    missing_since = case when s.is_missing then coalesce(j.missing_since, now()) else j.missing_since end,
    last_missing_at = case when s.is_missing then now() else j.last_missing_at end,
    crashes = j.crashes + s.crashed::integer,
    uncertain_attempts = j.uncertain_attempts + s.uncertain::integer,
    claimed_at = null,
    lease_expires_at = null,
    worker_id = null
from unnest(
    $1::bigint[], -- job_id
    $2::bigint[], -- lease_token
    $3::boolean[], -- discards the job, which stays as given up
    $4::double precision[], -- delay until the next attempt, in seconds
    $5::boolean[], -- counts the attempt
    $6::integer[], -- lane to change to, or null
    $7::text[], -- reason, or null
    $8::boolean[], -- crashed in a process of its own
    $9::boolean[], -- uncertain answer
    $10::boolean[] -- is_missing: the job goes on looking for a purchase that Apple didn't show
) as s (job_id, lease_token, discards, delay, counts, lane, reason, crashed, uncertain, is_missing)
where j.id = any (array[s.job_id]) and j.lease_token = s.lease_token and j.lease_expires_at is not null
