-- The newest valid key of a name, which a rotation replaces.
--
-- $1 text  name
select k.scopes, k.bundle_ids
from counterfoil.gateway_keys k
where k.name = $1::text and k.revoked_at is null and coalesce(k.expires_at > now(), true)
order by k.made_at desc
limit 1
for no key update
