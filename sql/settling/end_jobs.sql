-- Removes jobs that the fence only locked, since it wasn't known yet whether they end.
--
-- $1 int8[]  jobs
-- $2 int8[]  their lease tokens
--
-- Idioms: array of one, lease not state.
delete from counterfoil.jobs j
using unnest($1::bigint[], $2::bigint[]) as s (job_id, lease_token)
where j.id = any (array[s.job_id]) and j.lease_token = s.lease_token and j.lease_expires_at is not null
