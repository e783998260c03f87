-- Ends the call that an answer to Apple's question about a refund was claimed for. No row: the lease is another's by now, and
-- nothing is written.
--
-- $1 int8  answer         $3 text    state: waiting, sent or refused        $5 text  why the call failed, or null
-- $2 int4  lease token    $4 float8  seconds until the next call            $6 bool  whether the answer may be a passing fault
update counterfoil.consumption_answers a
set state = $3::text, ended_at = case when $3::text <> 'waiting' then now() end, lease_expires_at = null, error = $5::text,
    next_at = now() + make_interval(secs => $4::double precision), uncertain_attempts = a.uncertain_attempts + $6::boolean::integer
where a.id = $1::bigint and a.lease_token = $2::integer and a.lease_expires_at is not null and a.state = 'waiting'
returning a.state
