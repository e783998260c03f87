-- The ledger: which transaction paid for which order, and which payments were refunded. And the payments that no order was
-- granted for. Triggers keep the ledger's own tables append-only, also for their owner (refuse_change).

set local role counterfoil_owner;

-- A grant's app is its order's. It has no foreign key of its own to apps, which would lock the app's one row for every grant.
create table counterfoil.grants (
    id bigint generated always as identity primary key,
    order_id text collate "C" not null constraint grant_names_a_known_order references counterfoil.orders (order_id),
    bundle_id text collate "C" not null,
    environment text collate "C" not null constraint grant_environment_is_known check (environment in ('production', 'sandbox')),
    -- transaction:…, original:… or web_order:…, by the kind of product.
    grant_key text collate "C" not null
        constraint grant_key_names_its_kind check (grant_key ~ '^(transaction|original|web_order):.'),
    transaction_id text collate "C" not null,
    original_transaction_id text collate "C" not null,
    -- The billing event of a subscription's period.
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
    -- Both guard insert_grants: they make a second grant impossible. They serve read_ledger too.
    constraint one_grant_an_order unique (order_id),
    constraint one_grant_a_payment unique (bundle_id, environment, grant_key)
);
comment on table counterfoil.grants is
    'The ledger: which verified transaction paid for which order. Append-only; the facts are Apple''s.';

-- Grants under another id than the original transaction's, by a key that doesn't name the original: periods of a subscription,
-- purchases made again after a refund, and purchases listed as a consumable by mistake. They are few. Serves grants_of_original,
-- revoked_grants.
create index grants_by_original on counterfoil.grants (bundle_id, original_transaction_id, environment)
    where grant_key not like 'original:%' and transaction_id <> original_transaction_id;

grant select, insert on counterfoil.grants to counterfoil_worker;

create table counterfoil.transaction_ids (
    bundle_id text collate "C" not null,
    environment text collate "C" not null,
    transaction_id text collate "C" not null,
    grant_id bigint not null constraint transaction_id_belongs_to_a_grant references counterfoil.grants (id),
    -- The environment comes last: transaction_status, claim_jobs (for hints) and find_grant look up by app and id alone.
    constraint one_grant_a_transaction_id primary key (bundle_id, transaction_id, environment)
);
comment on table counterfoil.transaction_ids is 'Every id under which a granted purchase was ever seen.';

-- The ids of a grant. Serves revoked_grants, order_story.
create index transaction_ids_by_grant on counterfoil.transaction_ids (grant_id);

grant select, insert on counterfoil.transaction_ids to counterfoil_worker;

create table counterfoil.revocations (
    id bigint generated always as identity primary key,
    bundle_id text collate "C" not null constraint revocation_names_a_known_app references counterfoil.apps (bundle_id),
    environment text collate "C" not null constraint revocation_environment_is_known check (environment in ('production', 'sandbox')),
    transaction_id text collate "C" not null,
    original_transaction_id text collate "C" not null,
    kind text not null constraint revocation_kind_is_known check (kind in ('revocation', 'reversal')),
    occurred_at timestamptz not null,
    recorded_at timestamptz not null default now(),
    -- The billing event of a subscription's period, the same on all devices and after restores. Null if Apple named none.
    web_order_line_item_id text collate "C",
    -- Null for a reversal.
    purchased_at timestamptz,
    constraint one_entry_a_revocation unique nulls not distinct
        (bundle_id, transaction_id, environment, kind, occurred_at, web_order_line_item_id)
);
comment on table counterfoil.revocations is
    'The opposite entries: payments taken back, and revocations that Apple reversed. May precede the grant. Append-only.';

-- The refunds of an original transaction. Serves bought_apart, refunds_before, revocations_of_payment, revoked_grants.
create index revocations_by_original on counterfoil.revocations (bundle_id, original_transaction_id, environment);

grant select, insert on counterfoil.revocations to counterfoil_worker;

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

-- The payments that an order showed first. Serves unclaimed_for_order, find_payments, order_story, checks/orders_left_behind.
create index unclaimed_transactions_by_order on counterfoil.unclaimed_transactions (order_id);
-- A payment under any of its ids. Most rows are renewals, which no restore repeats. Serves unclaimed_of_payment,
-- take_back_payments.
create index unclaimed_transactions_by_original
    on counterfoil.unclaimed_transactions (bundle_id, original_transaction_id, environment) where reason <> 'renewal';
-- The latest payments. Serves paid_not_delivered, overview.
create index unclaimed_transactions_by_age on counterfoil.unclaimed_transactions (first_seen_at) where reason <> 'renewal';

grant select, insert, delete on counterfoil.unclaimed_transactions to counterfoil_worker;
-- insert_unclaimed_transactions changes it when a payment turns out to renew a subscription. So a row may move, and whoever
-- identifies rows by ctid holds the lock of their payment (lock_payments).
grant update (reason) on counterfoil.unclaimed_transactions to counterfoil_worker;

-- The columns of unclaimed_transactions. The primary key begins with the original: serves restore_unclaimed_transactions.
create table counterfoil.revoked_unclaimed_transactions (
    like counterfoil.unclaimed_transactions,
    primary key (bundle_id, original_transaction_id, transaction_id, environment)
);
comment on table counterfoil.revoked_unclaimed_transactions is
    'Payments that were taken back while they were unclaimed. A row becomes unclaimed again when that is reversed.';

-- The payment whose id a client shows. Serves transaction_status.
create index revoked_unclaimed_transactions_by_id
    on counterfoil.revoked_unclaimed_transactions (bundle_id, transaction_id, environment);

grant select, insert, delete on counterfoil.revoked_unclaimed_transactions to counterfoil_worker;
grant select on counterfoil.revoked_unclaimed_transactions to counterfoil_reader;

-- The columns of unclaimed_transactions, and the grant. The primary key begins with the original: serves
-- release_restored_transactions.
create table counterfoil.restored_transactions (
    like counterfoil.unclaimed_transactions including defaults,
    grant_id bigint not null constraint restored_transaction_belongs_to_a_grant references counterfoil.grants (id),
    primary key (bundle_id, original_transaction_id, transaction_id, environment)
);
comment on table counterfoil.restored_transactions is
    'Transactions that repeat a granted purchase under another id and at another date. A refund that comes to light may tell that '
    'they were bought apart: such a one becomes unclaimed.';

-- The payment whose id a client shows. Serves transaction_status, find_grant.
create index restored_transactions_by_id on counterfoil.restored_transactions (bundle_id, transaction_id, environment);

grant select, insert, delete on counterfoil.restored_transactions to counterfoil_worker;
