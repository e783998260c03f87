-- Puts jobs back for a later attempt, or keeps them as given up.
--
-- $1 int8[]  jobs                              $6 int4[]  lanes to change to, or null
-- $2 int8[]  their lease tokens                $7 text[]  reasons, or null
-- $3 bool[]  whether the job is discarded      $8 bool[]  whether the attempt crashed alone
-- $4 float8[]  seconds until the next attempt
-- $5 bool[]  whether the attempt counts        $9 bool[]  whether its answer was uncertain
update counterfoil.jobs j
set state = case when s.discards then 'discarded' else 'available' end,
    run_at = now() + make_interval(secs => s.delay),
    attempt = j.attempt - (not s.counts)::integer,
    lane = coalesce(s.lane, j.lane),
    -- What an earlier attempt found stands until another one finds something out.
    reason = case when s.counts then s.reason else coalesce(s.reason, j.reason) end,
    missing_since = case when s.reason = 'purchase_not_in_receipt' then coalesce(j.missing_since, now()) else j.missing_since end,
    last_missing_at = case when s.reason = 'purchase_not_in_receipt' then now() else j.last_missing_at end,
    crashes = j.crashes + s.crashed::integer,
    uncertain_attempts = j.uncertain_attempts + s.uncertain::integer,
    claimed_at = null,
    lease_expires_at = null,
    worker_id = null
from unnest(
    $1::bigint[], $2::bigint[], $3::boolean[], $4::double precision[], $5::boolean[], $6::integer[], $7::text[],
    $8::boolean[], $9::boolean[]
) as s (job_id, lease_token, discards, delay, counts, lane, reason, crashed, uncertain)
-- The lease says that it runs, and the array that each is looked up; see lock_settling_jobs.sql.
where j.id = any (array[s.job_id]) and j.lease_token = s.lease_token and j.lease_expires_at is not null
