-- What we verify for: apps, their products, their sandbox accounts, and the gates that their jobs pass.

set local role counterfoil_owner;

create table counterfoil.apps (
    bundle_id text collate "C" primary key
        constraint bundle_id_has_1_to_155_characters check (length(bundle_id) between 1 and 155),
    -- Apple's numeric id of the app; absent before its first release.
    apple_app_id bigint,
    sandbox_policy text not null default 'listed'
        constraint sandbox_policy_is_known check (sandbox_policy in ('deny', 'listed', 'allow')),
    -- Everybody may buy in the sandbox until then: a window for Apple's review.
    sandbox_open_until timestamptz,
    absent_token_policy text not null default 'accept'
        constraint absent_token_policy_is_known check (absent_token_policy in ('accept', 'review')),
    purchase_time_tolerance interval not null default '10 minutes'
        constraint purchase_time_tolerance_is_not_negative check (purchase_time_tolerance >= interval '0'),
    -- Purchases from before were granted by another system, unless they were imported.
    ledger_starts_at timestamptz,
    created_at timestamptz not null default now()
);
comment on table counterfoil.apps is 'An app whose purchases are verified. Secrets are never here.';

create table counterfoil.products (
    bundle_id text collate "C" not null constraint product_names_a_known_app references counterfoil.apps (bundle_id),
    product_id text collate "C" not null
        constraint product_id_has_1_to_200_characters check (length(product_id) between 1 and 200),
    kind text not null
        constraint product_kind_is_known check (kind in ('consumable', 'non_consumable', 'non_renewing', 'auto_renewable')),
    created_at timestamptz not null default now(),
    primary key (bundle_id, product_id)
);
comment on table counterfoil.products is 'A product of an app; its kind decides what counts as one grant.';

create table counterfoil.sandbox_accounts (
    bundle_id text collate "C" not null
        constraint sandbox_account_names_a_known_app references counterfoil.apps (bundle_id),
    account_id text collate "C" not null,
    created_at timestamptz not null default now(),
    primary key (bundle_id, account_id)
);
comment on table counterfoil.sandbox_accounts is 'An account whose sandbox purchases count under the policy ''listed''.';

create table counterfoil.gates (
    lane integer generated always as identity primary key,
    bundle_id text collate "C" not null constraint gate_names_a_known_app references counterfoil.apps (bundle_id),
    route text not null constraint route_is_known check (route in ('local', 'verify_receipt')),
    environment text constraint gate_environment_is_known check (environment in ('production', 'sandbox')),
    state text not null default 'open' constraint gate_state_is_known check (state in ('open', 'closed')),
    closed_by text constraint closer_is_known check (closed_by in ('breaker', 'configuration', 'operator')),
    -- Who closed it (an operator's name, or the worker), and why.
    closed_for text,
    why text,
    closed_at timestamptz,
    -- Half open: when the next probe may go, who is probing until when, and how many probes failed so far.
    probe_at timestamptz,
    probe_until timestamptz,
    failed_probes integer not null default 0,
    constraint only_routes_to_apple_have_an_environment check ((route = 'local') = (environment is null)),
    constraint closed_gates_say_who_closed_them check ((state = 'closed') = (closed_by is not null)),
    constraint one_gate_a_lane unique nulls not distinct (bundle_id, route, environment)
);
comment on table counterfoil.gates is 'The gate of a lane: one per app, route to a verdict and environment.';

grant select on counterfoil.apps, counterfoil.products, counterfoil.sandbox_accounts to counterfoil_worker;
grant select on counterfoil.gates to counterfoil_worker;
grant update (state, closed_by, closed_for, why, closed_at, probe_at, probe_until, failed_probes)
    on counterfoil.gates to counterfoil_worker;
