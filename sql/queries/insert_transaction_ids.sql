-- Adds an id under which a granted purchase was seen again to its grant.
--
-- $1 text[]  bundle ids      $3 text[]  transaction ids
-- $2 text[]  environments    $4 text[]  grant keys
insert into counterfoil.transaction_ids (bundle_id, environment, transaction_id, grant_id)
select e.bundle_id, e.environment, e.transaction_id, g.id
from unnest($1::text[], $2::text[], $3::text[], $4::text[]) as e (bundle_id, environment, transaction_id, grant_key)
join counterfoil.grants g
    on g.bundle_id = e.bundle_id and g.environment = e.environment and g.grant_key = e.grant_key
order by e.bundle_id, e.environment, e.transaction_id
on conflict do nothing
