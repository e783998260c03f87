-- A test for an endpoint: an event that is tried once, also where the endpoint is off. Earlier tests are over.
--
-- $1 text  name    $2 text  event id
with endpoint as (
    select e.number from counterfoil.webhook_endpoints e where e.name = $1::text
), over as (
    delete from counterfoil.webhook_events v using endpoint e where v.endpoint = e.number and v.change_id < 0
)
insert into counterfoil.webhook_events (endpoint, event_id, change_id, key, changed_at, body, next_at)
select
    e.number, $2::text, -1, $2::text, clock_timestamp(),
    counterfoil.webhook_body('webhook_test', clock_timestamp(), jsonb_build_object('id', $2::text)), clock_timestamp()
from endpoint e
returning event_id
