-- Which transaction paid for which order. Entries are added, never changed.

set local role counterfoil_owner;

create table counterfoil.grants (
    id bigint generated always as identity primary key,
    order_id text collate "C" not null constraint grant_names_a_known_order references counterfoil.orders (order_id),
    bundle_id text collate "C" not null constraint grant_names_a_known_app references counterfoil.apps (bundle_id),
    environment text collate "C" not null constraint grant_environment_is_known check (environment in ('production', 'sandbox')),
    -- transaction:…, original:… or web_order:…, by the kind of product.
    grant_key text collate "C" not null
        constraint grant_key_names_its_kind check (grant_key ~ '^(transaction|original|web_order):.'),
    transaction_id text collate "C" not null,
    original_transaction_id text collate "C" not null,
    web_order_line_item_id text collate "C",
    product_id text collate "C" not null,
    product_kind text not null
        constraint granted_kind_is_known check (product_kind in ('consumable', 'non_consumable', 'non_renewing', 'auto_renewable')),
    quantity integer not null constraint granted_quantity_is_positive check (quantity > 0),
    purchased_at timestamptz not null,
    expires_at timestamptz,
    app_account_token uuid,
    account_id text collate "C" not null,
    -- Null for a grant that was imported.
    job_id bigint,
    granted_at timestamptz not null default now(),
    constraint one_grant_an_order unique (order_id),
    constraint one_grant_a_payment unique (bundle_id, environment, grant_key)
);
comment on table counterfoil.grants is
    'The ledger: which verified transaction paid for which order. Append-only; the facts are Apple''s.';

create table counterfoil.transaction_ids (
    bundle_id text collate "C" not null,
    environment text collate "C" not null,
    transaction_id text collate "C" not null,
    grant_id bigint not null constraint transaction_id_belongs_to_a_grant references counterfoil.grants (id),
    -- The environment last: transaction_status and claim_jobs.sql look up by app and id alone.
    constraint one_grant_a_transaction_id primary key (bundle_id, transaction_id, environment)
);
comment on table counterfoil.transaction_ids is 'Every id under which a granted purchase was ever seen.';
create index transaction_ids_by_grant on counterfoil.transaction_ids (grant_id);

create table counterfoil.revocations (
    id bigint generated always as identity primary key,
    bundle_id text collate "C" not null constraint revocation_names_a_known_app references counterfoil.apps (bundle_id),
    environment text collate "C" not null constraint revocation_environment_is_known check (environment in ('production', 'sandbox')),
    transaction_id text collate "C" not null,
    original_transaction_id text collate "C" not null,
    kind text not null constraint revocation_kind_is_known check (kind in ('revocation', 'reversal')),
    occurred_at timestamptz not null,
    recorded_at timestamptz not null default now(),
    constraint one_entry_a_revocation unique (bundle_id, transaction_id, environment, kind, occurred_at)
);
comment on table counterfoil.revocations is
    'The opposite entries: payments taken back, and revocations that Apple reversed. May precede the grant. Append-only.';
-- Serves insert_grants.sql: bought again after a refund?
create index revocations_by_original on counterfoil.revocations (bundle_id, original_transaction_id, environment);

create table counterfoil.unclaimed_transactions (
    bundle_id text collate "C" not null constraint unclaimed_names_a_known_app references counterfoil.apps (bundle_id),
    environment text collate "C" not null constraint unclaimed_environment_is_known check (environment in ('production', 'sandbox')),
    transaction_id text collate "C" not null,
    original_transaction_id text collate "C" not null,
    web_order_line_item_id text collate "C",
    product_id text collate "C" not null,
    product_kind text,
    quantity integer not null,
    purchased_at timestamptz not null,
    expires_at timestamptz,
    app_account_token uuid,
    reason text not null,
    -- The order and the account whose job showed it first.
    order_id text collate "C" not null constraint unclaimed_names_a_known_order references counterfoil.orders (order_id),
    account_id text collate "C" not null,
    first_seen_at timestamptz not null default now(),
    primary key (bundle_id, transaction_id, environment)
);
comment on table counterfoil.unclaimed_transactions is
    'Every verified, paid, unrevoked transaction that was not granted, with the reason. A row leaves when it is granted.';
create index unclaimed_transactions_by_order on counterfoil.unclaimed_transactions (order_id);

grant select, insert on counterfoil.grants, counterfoil.transaction_ids, counterfoil.revocations to counterfoil_worker;
grant select, insert, delete on counterfoil.unclaimed_transactions to counterfoil_worker;
