-- The tables of the yardstick: those that the path of a job touched before it had the short path, with the columns, keys, indexes,
-- checks and storage that they had then. The yardstick's database is its own, so that its schema has the product's name and its
-- statements are what they were.
--
-- It doesn't follow the product. Tables that the path only looks into, and finds nothing or one row, have no checks.
create schema counterfoil authorization counterfoil_owner;
grant usage on schema counterfoil to counterfoil_worker;
set role counterfoil_owner;

create table counterfoil.apps (
    bundle_id text collate "C" primary key,
    apple_app_id bigint,
    sandbox_policy text not null default 'listed',
    sandbox_open_until timestamptz,
    absent_token_policy text not null default 'accept',
    purchase_time_tolerance interval not null default '10 minutes',
    own_order_window interval not null default '1 hour',
    ledger_starts_at timestamptz,
    policy_number integer not null default 1,
    created_at timestamptz not null default now(),
    receipt_route text not null default 'verify_receipt',
    confirm_after interval,
    finish_transactions boolean not null default false
);

create table counterfoil.products (
    bundle_id text collate "C" not null references counterfoil.apps,
    product_id text collate "C" not null,
    kind text not null,
    created_at timestamptz not null default now(),
    primary key (bundle_id, product_id)
);

create table counterfoil.sandbox_accounts (
    bundle_id text collate "C" not null references counterfoil.apps,
    account_id text collate "C" not null,
    created_at timestamptz not null default now(),
    primary key (bundle_id, account_id)
);

create table counterfoil.gates (
    lane integer generated always as identity primary key,
    bundle_id text collate "C" not null references counterfoil.apps,
    route text not null,
    environment text,
    state text not null default 'open',
    closed_by text,
    closed_for text,
    why text,
    closed_at timestamptz,
    probe_at timestamptz,
    probe_until timestamptz,
    failed_probes integer not null default 0,
    credential_digest bytea,
    credential_accepted_at timestamptz,
    needed_credential_accepted_at timestamptz,
    found_credential_digest bytea,
    unique nulls not distinct (bundle_id, route, environment)
);

create table counterfoil.orders (
    order_id text collate "C" not null,
    bundle_id text collate "C" not null,
    product_id text collate "C" not null,
    account_id text collate "C" not null,
    quantity integer not null default 1,
    app_account_token uuid,
    recovery boolean not null default false,
    state text not null default 'open',
    reason text,
    transaction_id text collate "C",
    environment text,
    attempts integer not null default 0,
    last_attempt_at timestamptz,
    created_at timestamptz not null default now(),
    updated_at timestamptz not null default now(),
    fulfilled_at timestamptz,
    version integer not null default 0,
    constraint order_ids_are_unique primary key (order_id),
    constraint order_names_a_known_app foreign key (bundle_id) references counterfoil.apps,
    constraint account_id_has_1_to_200_characters check (length(account_id) between 1 and 200),
    constraint closed_orders_say_why
        check (state not in ('rejected', 'review', 'refunded', 'cancelled') or reason is not null),
    constraint fulfilled_orders_say_when check (state <> 'fulfilled' or fulfilled_at is not null),
    constraint order_environment_is_known check (environment in ('production', 'sandbox')),
    constraint order_id_has_1_to_200_characters check (length(order_id) between 1 and 200),
    constraint order_state_is_known
        check (state in ('open', 'fulfilled', 'refunded', 'rejected', 'review', 'cancelled')),
    constraint ordered_product_id_has_1_to_200_characters check (length(product_id) between 1 and 200),
    constraint paid_orders_name_their_transaction
        check (state not in ('fulfilled', 'refunded') or transaction_id is not null and environment is not null),
    constraint quantity_is_1_to_10 check (quantity between 1 and 10)
) with (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_cost_delay = 0);
alter table counterfoil.orders alter column app_account_token set (n_distinct = -0.5);
create index orders_by_account on counterfoil.orders (account_id, product_id, created_at);
create index orders_by_app_account_token on counterfoil.orders (app_account_token, account_id) where app_account_token is not null;
create index orders_by_time on counterfoil.orders using brin (created_at) with (autosummarize = on);

-- Whose keys PostgreSQL considers at each update of an order.
create table counterfoil.awaited_renewals (order_id text collate "C" references counterfoil.orders);
create table counterfoil.order_events (order_id text collate "C" references counterfoil.orders);
create table counterfoil.orders_in_review (order_id text collate "C" references counterfoil.orders);
create table counterfoil.proofs (order_id text collate "C" references counterfoil.orders);

create table counterfoil.notifications (
    id bigint generated always as identity primary key,
    notification_uuid uuid not null,
    payload text
);

create table counterfoil.jobs (
    id bigint generated always as identity primary key,
    order_id text collate "C",
    account_id text collate "C",
    transaction_id text collate "C",
    proof text,
    lane integer not null,
    priority smallint not null default 1,
    state text not null default 'available',
    run_at timestamptz not null default now(),
    attempt integer not null default 0,
    lease_token bigint not null default 0,
    claimed_at timestamptz,
    lease_expires_at timestamptz,
    worker_id bigint,
    rescues smallint not null default 0,
    crashes smallint not null default 0,
    reason text,
    created_at timestamptz not null default now(),
    kind text not null default 'verify',
    uncertain_attempts integer not null default 0,
    missing_since timestamptz,
    last_missing_at timestamptz,
    notification_id bigint,
    found_by text,
    constraint job_names_a_known_order foreign key (order_id) references counterfoil.orders,
    constraint discarded_jobs_say_why check (state <> 'discarded' or reason is not null),
    constraint follow_ups_name_a_transaction check (kind <> 'finish' or transaction_id is not null),
    constraint hinted_transaction_id_has_1_to_64_characters check (length(transaction_id) between 1 and 64),
    constraint job_kind_is_known check (kind in ('verify', 'finish', 'notification')),
    constraint job_state_is_known check (state in ('available', 'running', 'discarded')),
    constraint jobs_have_an_order_or_a_notification
        check ((kind = 'notification') = (notification_id is not null) and (kind = 'notification') = (order_id is null)),
    constraint priority_is_0_to_3 check (priority between 0 and 3),
    constraint proof_has_1_byte_to_4_mib check (octet_length(proof) between 1 and 4194304),
    constraint proofs_are_of_jobs_that_verify check ((kind = 'verify') = (proof is not null)),
    constraint running_jobs_hold_a_lease
        check (
            (state = 'running') = (lease_expires_at is not null) and (state = 'running') = (worker_id is not null)
            and (state = 'running') = (claimed_at is not null)
        )
) with (
    fillfactor = 80, autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 1000, autovacuum_vacuum_cost_delay = 0,
    autovacuum_analyze_scale_factor = 0.5, toast.autovacuum_vacuum_scale_factor = 0.05, toast.autovacuum_vacuum_cost_delay = 0
);
alter table counterfoil.jobs alter column order_id set (n_distinct = -0.5);
alter table counterfoil.jobs alter column proof set storage external;
create index available_jobs on counterfoil.jobs (lane, priority, run_at, id) where state = 'available';
create index discarded_jobs on counterfoil.jobs (reason) where state = 'discarded';
create index leases on counterfoil.jobs (lease_expires_at) where lease_expires_at > '-infinity';
create unique index one_job_of_an_order_runs_at_a_time
    on counterfoil.jobs (order_id, (case when state = 'running' then 0 else id end));
create unique index one_job_a_notification on counterfoil.jobs (notification_id) where kind = 'notification';
create index refused_settlements on counterfoil.jobs (id) where reason = 'settlement_refused';

create table counterfoil.payments (
    transaction_id text collate "C" not null,
    bundle_id text collate "C" not null,
    environment text collate "C" not null,
    original_transaction_id text collate "C" not null,
    payment_key text collate "C",
    web_order_line_item_id text collate "C",
    additional_reason text,
    purchase_reason text,
    product_id text collate "C" not null,
    product_kind text,
    quantity integer not null,
    purchased_at timestamptz not null,
    paid_at timestamptz,
    is_advanced_commerce boolean,
    expires_at timestamptz,
    app_account_token uuid,
    account_id text collate "C",
    shown_by text collate "C",
    seen_at timestamptz not null default now(),
    reason text,
    fits_under integer,
    order_id text collate "C",
    granted_at timestamptz,
    job_id bigint,
    price_milliunits bigint,
    currency text,
    customer_id text collate "C",
    constraint one_grant_a_transaction_id primary key (transaction_id, bundle_id, environment),
    constraint additional_reason_is_known check (additional_reason in ('seat_addition', 'unknown')),
    constraint advanced_commerce_is_true_or_null check (is_advanced_commerce),
    constraint granted_payments_are_known
        check (order_id is null or product_kind is not null and account_id is not null and shown_by is not null),
    constraint granted_payments_name_their_order check ((order_id is null) = (granted_at is null)),
    constraint paid_kind_is_known check (product_kind in ('consumable', 'non_consumable', 'non_renewing', 'auto_renewable')),
    constraint paid_quantity_is_positive check (quantity > 0),
    constraint payment_environment_is_known check (environment in ('production', 'sandbox')),
    constraint payment_key_names_its_kind check (payment_key ~ '^(original|web_order):.'),
    constraint purchase_reason_is_known check (purchase_reason in ('purchase', 'renewal')),
    constraint signed_price_names_its_currency
        check ((price_milliunits is null) = (currency is null) and price_milliunits >= 0 and currency ~ '^[A-Z]{3}$'),
    constraint ungranted_payments_say_why check ((order_id is null) = (reason is not null))
);
create unique index one_grant_a_payment on counterfoil.payments (payment_key, bundle_id, environment)
    where granted_at is not null and payment_key is not null;
create unique index one_grant_an_order on counterfoil.payments (order_id) where order_id is not null;
create index payments_by_customer on counterfoil.payments (customer_id, account_id)
    where customer_id is not null and account_id is not null;
create index payments_by_original on counterfoil.payments (original_transaction_id, bundle_id, environment)
    where original_transaction_id <> transaction_id;
create index payments_ungranted_by_age on counterfoil.payments (seen_at)
    where reason not in ('renewal', 'restored', 'refunded', 'before_ledger');
create index payments_ungranted_by_order on counterfoil.payments (shown_by) where reason is not null;

create table counterfoil.originals (
    original_transaction_id text collate "C",
    bundle_id text collate "C",
    environment text collate "C",
    constraint one_lock_an_original primary key (original_transaction_id, bundle_id, environment)
);

create table counterfoil.revocations (
    id bigint generated always as identity primary key,
    transaction_id text collate "C" not null,
    bundle_id text collate "C" not null,
    environment text collate "C" not null,
    original_transaction_id text collate "C" not null,
    web_order_line_item_id text collate "C",
    kind text not null,
    share integer,
    knows_no_share boolean not null default false,
    seats integer not null default 0,
    revocation_type text,
    revocation_reason integer,
    occurred_at timestamptz not null,
    as_of timestamptz not null,
    recorded_at timestamptz not null default now(),
    purchased_at timestamptz,
    unique nulls not distinct (
        original_transaction_id, transaction_id, bundle_id, environment, as_of, kind, share, seats, web_order_line_item_id
    )
);

create table counterfoil.attempts (
    job_id bigint not null,
    order_id text collate "C" not null,
    lease_token bigint not null,
    attempt integer not null,
    disposition text not null,
    reason text,
    message text,
    proof_kind text,
    environment text,
    transaction_id text collate "C",
    worker_id bigint,
    submitted_at timestamptz not null,
    claimed_at timestamptz not null,
    finished_at timestamptz not null default now(),
    shown_transaction_ids text[] collate "C",
    constraint disposition_is_known
        check (disposition in ('complete', 'retry', 'snooze', 'release', 'discard', 'rescue', 'cancel'))
) partition by range (finished_at);
create index attempts_by_order on counterfoil.attempts (order_id);
create index attempts_by_time on counterfoil.attempts using brin (finished_at) with (autosummarize = on);
create table counterfoil.attempts_now partition of counterfoil.attempts for values from ('2000-01-01') to ('2200-01-01');
create table counterfoil.attempts_default partition of counterfoil.attempts default;

create sequence counterfoil.change_ids;
create table counterfoil.changes (
    id bigint not null default nextval('counterfoil.change_ids'),
    xid xid8 not null default pg_current_xact_id(),
    at timestamptz not null default clock_timestamp(),
    kind text not null,
    order_id text collate "C",
    order_version integer,
    transaction_id text collate "C",
    environment text,
    bundle_id text collate "C",
    reason text,
    share integer
) partition by range (at);
create index changes_by_id on counterfoil.changes (id);
create index changes_by_xid on counterfoil.changes (xid);
create table counterfoil.changes_now partition of counterfoil.changes for values from ('2000-01-01') to ('2200-01-01');
create table counterfoil.changes_default partition of counterfoil.changes default;

create table counterfoil.imports (database_transaction xid8 primary key);

-- As the worker's role had them: PostgreSQL looks each column's up.
grant select on all tables in schema counterfoil to counterfoil_worker;
grant insert on counterfoil.payments, counterfoil.attempts, counterfoil.originals to counterfoil_worker;
grant delete on counterfoil.jobs to counterfoil_worker;
grant update (environment) on counterfoil.originals to counterfoil_worker;
grant update (
    lane, priority, state, run_at, attempt, lease_token, claimed_at, lease_expires_at, worker_id, rescues, crashes, reason,
    uncertain_attempts, missing_since, last_missing_at
) on counterfoil.jobs to counterfoil_worker;
grant update (
    state, reason, transaction_id, environment, attempts, last_attempt_at, updated_at, fulfilled_at, version
) on counterfoil.orders to counterfoil_worker;
grant update (
    payment_key, web_order_line_item_id, additional_reason, purchase_reason, product_kind, quantity, purchased_at, paid_at,
    is_advanced_commerce, expires_at, app_account_token, account_id, shown_by, reason, fits_under, order_id, granted_at,
    job_id, price_milliunits, currency, customer_id
) on counterfoil.payments to counterfoil_worker;

reset role;
