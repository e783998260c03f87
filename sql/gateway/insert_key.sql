-- Adds a key; one row where the name is free, or where it rotates.
--
-- $1 bytea   SHA-256 of the key     $4 text[]  scopes                   $7 float8  seconds until it expires, or null
-- $2 text    its prefix             $5 text[]  bundle ids, or null      $8 bool    whether another valid key may have the name
-- $3 text    name                   $6 text    who
insert into counterfoil.gateway_keys (hash, prefix, name, scopes, bundle_ids, made_by, expires_at)
select
    $1::bytea, $2::text, $3::text, $4::text[], $5::text[], $6::text,
    now() + $7::double precision * interval '1 second'
where $8::boolean or not exists (
    select from counterfoil.gateway_keys k
    where k.name = $3::text and k.revoked_at is null and coalesce(k.expires_at > now(), true)
)
returning prefix, expires_at
