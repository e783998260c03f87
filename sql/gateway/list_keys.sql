-- The keys, those of a name together, the newest first.
--
-- $1 bool  whether those that hold no more are listed too
select
    k.name, k.prefix, k.scopes, k.bundle_ids, k.state, k.made_at, k.made_by, k.expires_at, k.last_used_on::timestamptz as last_used,
    k.revoked_at, k.revoked_by, k.why
from counterfoil.gateway_key_states k
where $1::boolean or k.state in ('valid', 'exposed')
order by k.name, k.made_at desc, k.prefix
