-- Whom we verify for: apps, their products and their sandbox accounts. And what holds jobs back: gates and budgets.

set local role counterfoil_owner;

create table counterfoil.apps (
    bundle_id text collate "C" primary key
        constraint bundle_id_has_1_to_155_characters check (length(bundle_id) between 1 and 155),
    apple_app_id bigint,
    sandbox_policy text not null default 'listed'
        constraint sandbox_policy_is_known check (sandbox_policy in ('deny', 'listed', 'allow')),
    -- Until this time everybody may buy in the sandbox: a window for Apple's review.
    sandbox_open_until timestamptz,
    -- What to do with a transaction without an app account token, when its order has one.
    absent_token_policy text not null default 'accept'
        constraint absent_token_policy_is_known check (absent_token_policy in ('accept', 'review')),
    -- How long before its order a purchase may have been made.
    purchase_time_tolerance interval not null default '10 minutes'
        constraint purchase_time_tolerance_is_not_negative check (purchase_time_tolerance >= interval '0'),
    -- How long after an order a purchase without a token is taken to be that order's, though another order shows it:
    -- orders_for_payment. Too short, and an operator has to find the order; too long, and on a shared device one customer's payment
    -- may pay for what another had left in the cart.
    own_order_window interval not null default '1 hour'
        constraint own_order_window_is_not_negative check (own_order_window >= interval '0'),
    -- Another system granted the purchases before this time; they go to review unless they were imported.
    ledger_starts_at timestamptz,
    -- Rises with each change of sandbox_policy, absent_token_policy, purchase_time_tolerance or ledger_starts_at
    -- (raise_policy_number): what was judged under another number is judged anew.
    policy_number integer not null default 1,
    created_at timestamptz not null default now(),
    receipt_route text not null default 'verify_receipt'
        constraint receipt_route_is_known check (receipt_route in ('local_then_api', 'verify_receipt', 'local_only')),
    -- Apple confirms a signed transaction before it is granted when its signature is older than this. Null: never.
    confirm_after interval
        constraint confirm_after_is_not_negative check (confirm_after >= interval '0'),
    -- Whether a job of its own tells Apple that a granted transaction is finished.
    finish_transactions boolean not null default false
);
comment on table counterfoil.apps is 'An app whose purchases are verified. Secrets are never here.';
comment on column counterfoil.apps.apple_app_id is 'Unused: nothing that Apple signs of a purchase names it.';
grant select on counterfoil.apps to counterfoil_worker, counterfoil_support;
grant insert, update on counterfoil.apps to counterfoil_support;

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
grant select on counterfoil.products to counterfoil_worker, counterfoil_support;
grant insert, update (kind) on counterfoil.products to counterfoil_support;

create table counterfoil.sandbox_accounts (
    bundle_id text collate "C" not null
        constraint sandbox_account_names_a_known_app references counterfoil.apps (bundle_id),
    account_id text collate "C" not null,
    created_at timestamptz not null default now(),
    primary key (bundle_id, account_id)
);
comment on table counterfoil.sandbox_accounts is 'An account whose sandbox purchases count under the policy ''listed''.';
grant select on counterfoil.sandbox_accounts to counterfoil_worker, counterfoil_support;
grant insert on counterfoil.sandbox_accounts to counterfoil_support;

-- The trigger make_gates adds a gate for each lane of a new app.
create table counterfoil.gates (
    lane integer generated always as identity primary key,
    bundle_id text collate "C" not null constraint gate_names_a_known_app references counterfoil.apps (bundle_id),
    route text not null
        constraint route_is_known check (route in ('local', 'verify_receipt', 'server_api', 'finish_transaction')),
    environment text constraint gate_environment_is_known check (environment in ('production', 'sandbox')),
    state text not null default 'open' constraint gate_state_is_known check (state in ('open', 'closed')),
    closed_by text constraint closer_is_known check (closed_by in ('breaker', 'budget', 'configuration', 'operator')),
    -- The operator or worker that closed it, by name, and why.
    closed_for text,
    why text,
    closed_at timestamptz,
    -- When it opened last.
    opened_at timestamptz,
    -- Half open: when the next probe may go, until when a worker is probing, and how many probes have failed.
    probe_at timestamptz,
    probe_until timestamptz,
    failed_probes integer not null default 0,
    constraint only_routes_to_apple_have_an_environment check ((route = 'local') = (environment is null)),
    constraint closed_gates_say_who_closed_them check ((state = 'closed') = (closed_by is not null)),
    constraint one_gate_a_lane unique nulls not distinct (bundle_id, route, environment)
);
comment on table counterfoil.gates is 'The gate of a lane: one per app, route to a verdict and environment.';
grant select on counterfoil.gates to counterfoil_worker, counterfoil_support;
grant update (state, closed_by, closed_for, why, closed_at, opened_at, probe_at, probe_until, failed_probes)
    on counterfoil.gates to counterfoil_worker, counterfoil_support;

-- The trigger make_gates adds a budget for each endpoint of a new app, at the rate that Apple allows. The rows are updated
-- all the time: the low fill factor leaves room in each page for the new version of a row.
create table counterfoil.budgets (
    bundle_id text collate "C" not null constraint budget_names_a_known_app references counterfoil.apps (bundle_id),
    endpoint text not null
        constraint budgeted_endpoint_is_known
            check (endpoint in ('get_transaction_info', 'get_transaction_info_of_bare_id', 'finish_transaction')),
    environment text not null
        constraint budget_environment_is_known check (environment in ('production', 'sandbox')),
    calls_per_second double precision not null
        constraint budget_is_positive check (calls_per_second > 0 and calls_per_second <= 10000),
    -- The first start time that no worker has reserved.
    next_call_at timestamptz not null default '-infinity',
    primary key (bundle_id, endpoint, environment)
) with (fillfactor = 50);
comment on table counterfoil.budgets is
    'How many calls a second all workers together make for an app to an endpoint, and which time slots are taken.';
grant select, update (next_call_at) on counterfoil.budgets to counterfoil_worker, counterfoil_support;
grant select on counterfoil.budgets to counterfoil_reader;
