-- Ends a catch-up: all until a time was asked for, or it failed and is due again after a while.
--
-- $1 text         bundle id                                    $4 bool    all was asked for, not only what didn't arrive
-- $2 text         environment                                  $5 float8  seconds until the next
-- $3 timestamptz  until when was asked; null: it failed        $6 text    why it failed, or null
update counterfoil.catch_ups c
set caught_up_to = coalesce($3::timestamptz, c.caught_up_to),
    whole_at = case when $4::boolean then coalesce($3::timestamptz, c.whole_at) else c.whole_at end,
    due_at = now() + make_interval(secs => $5::double precision), held_until = null, failure = $6::text
where c.bundle_id = $1::text and c.environment = $2::text
