-- Makes catch-ups due: of one app, or of all. Returns how many.
--
-- $1 text  bundle id, or null    $2 bool  for all, and not only for what didn't arrive
update counterfoil.catch_ups c
set due_at = now(), whole_at = case when $2::boolean then null else c.whole_at end,
    caught_up_to = case when $2::boolean then null else c.caught_up_to end
where $1::text is null or c.bundle_id = $1::text
