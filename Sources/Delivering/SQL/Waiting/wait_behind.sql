-- Changes whose order has an earlier one that waits. They become due with its end.
--
-- $1 int8[]  ids    $2 text[]  keys    $3 text[]  the changes, as JSON
insert into {waiting} (id, key, change, next_at)
select
    u.id, u.key, u.change::jsonb,
    case
        when exists (select from {waiting} w where w.key = u.key and w.next_at is not null) then 'infinity'
        else clock_timestamp()
    end
from unnest($1::bigint[], $2::text[], $3::text[]) as u (id, key, change)
on conflict (id) do nothing
