-- Notes orders that a renewal is to pay for, and when they go to review if none comes.
--
-- $1 text[]         orders
-- $2 timestamptz[]  the end of the period that is paid
-- $3 float8         how long after that end the renewal is waited for, in seconds
insert into counterfoil.awaited_renewals (order_id, review_at)
select e.order_id, e.ends_at + make_interval(secs => $3::double precision)
from unnest($1::text[], $2::timestamptz[]) as e (order_id, ends_at)
order by e.order_id
on conflict (order_id) do update set review_at = excluded.review_at
