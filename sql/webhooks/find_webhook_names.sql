-- The endpoints to serve: those that are on, or have a test to send. is_unserved: no worker has read the feed for it lately.
select e.name, e.read_at < clock_timestamp() - interval '1 minute' as is_unserved
from counterfoil.webhook_endpoints e
where e.off_since is null or exists (
    select from counterfoil.webhook_events v where v.endpoint = e.number and v.change_id < 0 and v.next_at is not null
)
order by e.name
