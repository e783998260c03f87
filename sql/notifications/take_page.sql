-- Takes a page of Apple's history of notifications, and holds the catch-up for two more minutes. Returns how many were new, and how
-- many weren't in Apple's form.
--
-- $1 text    bundle id      $3 text[]  payloads
-- $2 text    environment
with held as (
    update counterfoil.catch_ups c
    set held_until = now() + interval '2 minutes'
    where c.bundle_id = $1::text and c.environment = $2::text
)
select
    count(*) filter (where t.answer = 'stored')::integer as stored, count(*) filter (where t.answer like 'unreadable%')::integer as unreadable
from unnest($3::text[]) as p (payload)
cross join lateral counterfoil.take_from_history(p.payload) as t (answer)
