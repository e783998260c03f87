-- The keys of the gateway: what each is for, whether it holds, and the day of its last use.

create or replace view counterfoil.gateway_key_states as
select
    k.name, k.prefix, k.scopes, k.bundle_ids,
    -- revoked, expired; exposed: it holds, and came over a network in clear; valid.
    case
        when k.revoked_at is not null then 'revoked'
        when k.expires_at <= now() then 'expired'
        when k.exposed_at is not null then 'exposed'
        else 'valid'
    end as state,
    k.made_at, k.made_by, k.expires_at, k.last_used_on, k.revoked_at, k.revoked_by, k.why
from counterfoil.gateway_keys k;
comment on view counterfoil.gateway_key_states is
    'The keys of the gateway: what each is for, whether it holds, and the day of its last use.';

alter view counterfoil.gateway_key_states owner to counterfoil_owner;
grant select on counterfoil.gateway_key_states to counterfoil_worker, counterfoil_support, counterfoil_reader;
