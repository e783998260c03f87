-- What operators did about an endpoint, the latest first.
--
-- $1 text  name    $2 int4  the most to return
select a.at, a.kind, a.about, a.who, a.why
from counterfoil.webhook_acts a
join counterfoil.webhook_endpoints e on e.number = a.endpoint
where e.name = $1::text
order by a.at desc
limit $2::integer
