-- The key of a digest, unless it is unknown; one row.
--
-- $1 bytea  SHA-256 of the key
select
    k.prefix, k.scopes, k.bundle_ids, k.revoked_at is not null as is_revoked,
    coalesce(k.expires_at <= now(), false) as is_expired,
    extract(epoch from k.expires_at - now())::double precision as expires_in
from counterfoil.gateway_keys k
where k.hash = $1::bytea
