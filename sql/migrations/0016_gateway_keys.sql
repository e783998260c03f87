-- The keys by which a shop's servers speak to the gateway.

set local role counterfoil_owner;

-- A key is kept as its digest alone. One that rotates has a second row of its name: both hold until the older one expires.
create table counterfoil.gateway_keys (
    -- SHA-256 of the whole key.
    hash bytea not null constraint key_hash_has_32_bytes check (octet_length(hash) = 32),
    -- The key's first characters, by which people and logs name it.
    prefix text collate "C" not null constraint key_prefixes_are_unique unique,
    name text collate "C" not null constraint key_name_has_1_to_100_characters check (length(name) between 1 and 100),
    scopes text[] not null
        constraint key_scopes_are_known
        check (scopes <@ array['orders', 'read', 'feed', 'support'] and cardinality(scopes) > 0),
    -- The apps that it speaks for; null: all.
    bundle_ids text[] constraint key_names_an_app check (cardinality(bundle_ids) > 0),
    made_at timestamptz not null default now(),
    made_by text not null,
    -- Null: never.
    expires_at timestamptz,
    revoked_at timestamptz,
    revoked_by text,
    why text,
    last_used_on date,
    -- When it was seen in clear on a network.
    exposed_at timestamptz,
    constraint key_digests_are_unique primary key (hash),
    constraint revoked_keys_say_by_whom check ((revoked_at is null) = (revoked_by is null))
);
comment on table counterfoil.gateway_keys is 'The keys of the gateway, as digests, with what each may do.';
grant select, update (last_used_on, exposed_at) on counterfoil.gateway_keys to counterfoil_gateway;
grant select, insert, update (expires_at, revoked_at, revoked_by, why) on counterfoil.gateway_keys to counterfoil_support;
