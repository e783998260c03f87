-- The keys, those of a name together, the newest first.
--
-- $1 bool  whether those that hold no more are listed too
select
    k.name, k.prefix, k.scopes, k.bundle_ids,
    case
        when k.revoked_at is not null then 'revoked'
        when k.expires_at <= now() then 'expired'
        when k.exposed_at is not null then 'exposed'
        else 'valid'
    end as state,
    k.made_at, k.made_by, k.expires_at, k.last_used_on::timestamptz as last_used, k.revoked_at, k.revoked_by, k.why
from counterfoil.gateway_keys k
where $1::boolean or k.revoked_at is null and coalesce(k.expires_at > now(), true)
order by k.name, k.made_at desc, k.prefix
