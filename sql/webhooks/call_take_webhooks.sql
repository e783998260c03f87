-- Reads the feed for endpoints, and claims events to send now. A row without an event says that the endpoint began anew.
--
-- $1 text[]  names of endpoints    $2 int4  the most events of each    $3 float8  seconds of a lease
select t.endpoint, t.name, t.url, t.event_id, t.lease_token, t.tries, t.body, t.began_anew
from counterfoil.take_webhooks($1::text[], $2::integer, $3::double precision) t
