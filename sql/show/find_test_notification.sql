-- Whether a test notification of an app came since a time, as verified.
--
-- $1 text  bundle id    $2 text  environment    $3 timestamptz  since
select n.processed_at is not null as is_verified
from counterfoil.notifications n
where n.bundle_id = $1::text and n.environment = $2::text and n.type = 'TEST' and n.received_at >= $3::timestamptz
order by n.processed_at is not null desc
limit 1
