-- The keys by which a shop's servers speak to the gateway, and the endpoints of webhooks.

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

-- What an account has that somebody else paid for. Serves subscriptions_of, forget_account, preview_of_account.
create index accesses_by_account on counterfoil.accesses (account_id, original_transaction_id) where account_id is not null;

-- Webhooks: where a shop's server wants to be called for changes of the feed. Their secrets lie in files alone.
create table counterfoil.webhook_endpoints (
    number integer generated always as identity constraint webhook_endpoints_pkey primary key,
    -- The file of its secrets bears this name, too.
    name text collate "C" not null
        constraint webhook_names_are_unique unique
        constraint webhook_name_is_lower_case_letters_digits_hyphens check (name ~ '^[a-z0-9][a-z0-9-]{0,49}$'),
    -- Without a user, a password or a fragment; the host has one spelling.
    url text not null
        constraint webhook_url_is_https
        check (length(url) <= 1000 and url ~ '^https://([a-z0-9.-]+|\[[0-9a-f:.]+\])(:[0-9]{1,5})?([/?][^#[:space:]]*)?$'),
    -- Only changes of these apps, and of these kinds; null: all.
    bundle_ids text[] constraint webhook_names_an_app check (cardinality(bundle_ids) > 0),
    kinds text[] constraint webhook_names_a_kind check (cardinality(kinds) > 0),
    -- Calls a second, and calls at once, of all workers together.
    rate integer not null constraint webhook_rate_is_1_to_1000 check (rate between 1 and 1000),
    in_flight integer not null constraint webhook_in_flight_is_1_to_100 check (in_flight between 1 and 100),
    made_at timestamptz not null default now(),
    made_by text not null,
    cursor text not null,
    -- When the feed was last read to its end.
    read_at timestamptz not null default now(),
    -- When its cursor became unknown, and it began anew.
    began_anew_at timestamptz,
    -- Calls a second now: half of what it was after each answer that asks to slow down.
    pace double precision not null,
    -- Calls that may be made now, and at what time that was so (take_webhooks).
    allowance double precision not null default 1,
    allowance_at timestamptz not null default clock_timestamp(),
    -- Nothing is sent before: the answer asked for it.
    paused_until timestamptz not null default '-infinity',
    -- While the cursor stops, one event is tried at this time, whenever it is due.
    probe_at timestamptz not null default '-infinity',
    -- Calls that failed in a row, and the first of them.
    failures integer not null default 0,
    failing_since timestamptz,
    handled bigint not null default 0,
    failed bigint not null default 0,
    last_handled_at timestamptz,
    last_error text,
    last_error_at timestamptz,
    off_since timestamptz,
    off_because text
        constraint webhook_is_off_for_a_known_cause check (off_because in ('operator', 'gone', 'failing', 'restored')),
    constraint webhooks_that_are_off_say_why check ((off_since is null) = (off_because is null))
) with (fillfactor = 50);
comment on table counterfoil.webhook_endpoints is
    'Where a shop''s servers want to be called, how far the feed was read for each, and how it fares.';

-- The events that were read from the feed and aren't handled yet.
create table counterfoil.webhook_events (
    endpoint integer not null
        constraint webhook_event_names_an_endpoint references counterfoil.webhook_endpoints (number),
    -- The header webhook-id: the same in each try, each replay, and after a failover.
    event_id text collate "C" not null,
    -- Of the change; negative: a test.
    change_id bigint not null,
    -- What is sent in its order: the order; where there is none the payment; where there is neither the account.
    key text collate "C" not null,
    changed_at timestamptz not null,
    -- What is sent, to the byte.
    body text not null,
    since timestamptz not null default clock_timestamp(),
    tries integer not null default 0,
    -- Of the earliest of a key; infinity: it waits behind that. Null: given up, until somebody sends it again.
    next_at timestamptz,
    error text,
    -- A number that rises with each claim: a stale one settles nothing.
    lease_token integer not null default 0,
    lease_expires_at timestamptz,
    constraint webhook_events_pkey primary key (endpoint, event_id)
) with (fillfactor = 70);
comment on table counterfoil.webhook_events is 'Private: changes on their way to an endpoint.';
-- Serves take_webhooks, settle_webhook, webhook_status.
create index webhook_events_by_key on counterfoil.webhook_events (endpoint, key, change_id);
-- Serves take_webhooks.
create index webhook_events_by_time on counterfoil.webhook_events (endpoint, next_at, change_id) where next_at < 'infinity';

-- What operators did about an endpoint.
create table counterfoil.webhook_acts (
    endpoint integer not null
        constraint webhook_act_names_an_endpoint references counterfoil.webhook_endpoints (number),
    at timestamptz not null default now(),
    kind text not null
        constraint webhook_act_is_known check (kind in ('added', 'enabled', 'disabled', 'resent', 'replayed', 'skipped')),
    -- The event, or the time, that it is about.
    about text,
    who text not null,
    why text constraint webhook_why_has_1_to_1000_characters check (length(why) between 1 and 1000)
);
comment on table counterfoil.webhook_acts is 'What operators did about the endpoints of webhooks, and why.';
create index webhook_acts_by_endpoint on counterfoil.webhook_acts (endpoint, at);

grant select, update (last_error, last_error_at) on counterfoil.webhook_endpoints to counterfoil_worker;
grant select on counterfoil.webhook_events to counterfoil_worker;
grant select, update, insert on counterfoil.webhook_endpoints to counterfoil_support;
grant select, update, insert, delete on counterfoil.webhook_events to counterfoil_support;
grant select, insert on counterfoil.webhook_acts to counterfoil_support;
