-- Reserves start times for calls to one endpoint. Returns no row when all are taken for longer than the caller may wait.
--
-- Start times are offsets from the moment of the answer, so that no worker's clock matters. They lie a fortieth further apart
-- than the budget allows, which leaves room for calls that start a little early or late (RateLimiter). clock_timestamp() and not
-- now(): a session that waited for the row must not take start times that are over. No reservation ends further ahead than the wait
-- and twenty calls, or 0.2 s, allow. A reservation a minute beyond that was made by a clock that was put back since, and doesn't
-- count.
--
-- $1 text  bundle id      $3 text  environment           $5 float8  seconds ahead that the first call may start
-- $2 text  endpoint       $4 int4  calls to reserve
update counterfoil.budgets b
set next_call_at = case
        when b.next_call_at <= clock_timestamp() + make_interval(secs => $5::double precision)
            then greatest(b.next_call_at, clock_timestamp())
        else clock_timestamp()
    end + make_interval(secs => $4::integer / (b.calls_per_second * 0.975))
where b.bundle_id = $1::text and b.endpoint = $2::text and b.environment = $3::text
    and (
        b.next_call_at <= clock_timestamp() + make_interval(secs => $5::double precision)
        or b.next_call_at
            > clock_timestamp() + make_interval(secs => 60 + $5::double precision + 20 / (b.calls_per_second * 0.975))
    )
returning
    greatest(
        0,
        extract(epoch from b.next_call_at - clock_timestamp())::double precision
            - $4::integer / (b.calls_per_second * 0.975)
    ) as first_slot_in,
    1 / (b.calls_per_second * 0.975) as spacing
