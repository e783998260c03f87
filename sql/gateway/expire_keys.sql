-- Ends the older keys of a name after a while, because a newer one was made.
--
-- $1 text    name
-- $2 text    prefix of the newer one
-- $3 float8  seconds until they end
update counterfoil.gateway_keys k
set expires_at = least(k.expires_at, now() + $3::double precision * interval '1 second')
where k.name = $1::text and k.prefix <> $2::text and k.revoked_at is null and coalesce(k.expires_at > now(), true)
returning prefix
