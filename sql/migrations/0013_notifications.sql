-- Notifications from Apple: what receive_notification took, and what became of it.

set local role counterfoil_owner;

create table counterfoil.notifications (
    id bigint generated always as identity primary key,
    -- As the payload names them. Whoever sent it may have written anything: they count once it is verified.
    notification_uuid uuid not null,
    bundle_id text collate "C" not null
        constraint notified_bundle_id_has_1_to_155_characters check (length(bundle_id) between 1 and 155),
    environment text not null constraint notification_environment_is_known check (environment in ('production', 'sandbox')),
    -- In Apple's words.
    type text not null constraint notification_type_has_1_to_100_characters check (length(type) between 1 and 100),
    subtype text constraint notification_subtype_has_1_to_100_characters check (length(subtype) between 1 and 100),
    signed_at timestamptz,
    -- push: Apple sent it. history: Apple was asked what it had sent.
    source text not null constraint notification_source_is_known check (source in ('push', 'history')),
    received_at timestamptz not null default now(),
    -- The signed text. Null once it is older than the history of attempts: the row stays, and knows a repetition.
    payload text constraint notification_has_at_most_256_kib check (octet_length(payload) between 1 and 262144),
    payload_hash bytea not null constraint payload_hash_has_32_bytes check (octet_length(payload_hash) = 32),
    -- Whether the app had a lane when it came: else it waits until the app is added.
    is_of_an_app boolean not null,
    -- Null: not verified yet. recorded: its payment, refund or reversal is in the ledger. stored: it tells of none.
    outcome text constraint notification_outcome_is_known check (outcome in ('recorded', 'stored')),
    -- What was noticed, in a line.
    message text,
    processed_at timestamptz,
    -- The transaction that it is about, and the order whose client didn't show it, where one was found.
    transaction_id text collate "C",
    original_transaction_id text collate "C",
    order_id text collate "C",
    constraint processed_notifications_have_an_outcome check ((outcome is null) = (processed_at is null))
) with (autovacuum_vacuum_scale_factor = 0.05);
comment on table counterfoil.notifications is 'What Apple''s servers told of an app''s customers. A row is kept for ever, its payload for a time.';
alter table counterfoil.notifications alter column payload set storage external;

-- A text that says it is a notification of this id doesn't keep the one away that Apple signed: only the same text is the same.
-- Guards and serves store_notification.
create unique index one_text_of_a_notification
    on counterfoil.notifications (notification_uuid, bundle_id, environment, payload_hash);
-- Guards record_notifications: of those that Apple signed, one of an id.
create unique index one_effect_of_a_notification
    on counterfoil.notifications (notification_uuid, bundle_id, environment) where outcome is not null;
-- What isn't verified yet, by app; and of apps that weren't known. Serves store_notification, queue_notifications, health.
create index unverified_notifications on counterfoil.notifications (bundle_id, id) where outcome is null and is_of_an_app;
create index notifications_of_unknown_apps on counterfoil.notifications (bundle_id, id) where outcome is null and not is_of_an_app;
-- The latest of an app. Serves notification_silence, list_notifications.
create index notifications_by_app on counterfoil.notifications (bundle_id, environment, received_at);
-- What was told of a transaction. Serves order_story, list_notifications.
create index notifications_by_transaction on counterfoil.notifications (transaction_id) where transaction_id is not null;
-- The payloads that are old. Serves prune_notifications.
create index notifications_by_age on counterfoil.notifications (received_at) where payload is not null;

grant select, insert, update, delete on counterfoil.notifications to counterfoil_worker;
grant select on counterfoil.notifications to counterfoil_support;
grant select (
    id, notification_uuid, bundle_id, environment, type, subtype, signed_at, source, received_at, outcome, message, processed_at,
    transaction_id, original_transaction_id, order_id
) on counterfoil.notifications to counterfoil_reader;

-- What was no notification of Apple's, counted: its rows are gone.
create table counterfoil.refused_notifications (
    bundle_id text collate "C" not null constraint refused_notification_names_a_known_app references counterfoil.apps (bundle_id),
    -- A reason of a proof.
    reason text not null,
    refused bigint not null default 0,
    first_at timestamptz not null default now(),
    last_at timestamptz not null default now(),
    primary key (bundle_id, reason)
);
comment on table counterfoil.refused_notifications is 'Texts that were sent as notifications and that Apple didn''t sign, counted.';
grant select, insert, update on counterfoil.refused_notifications to counterfoil_worker;
grant select on counterfoil.refused_notifications to counterfoil_support, counterfoil_reader;

-- How far Apple was asked what it sent, or tried to send: by app and environment.
create table counterfoil.catch_ups (
    bundle_id text collate "C" not null constraint catch_up_names_a_known_app references counterfoil.apps (bundle_id),
    environment text not null constraint catch_up_environment_is_known check (environment in ('production', 'sandbox')),
    -- All that Apple sent before this time, or tried to, was asked for; and when all was, not only what didn't arrive.
    caught_up_to timestamptz,
    whole_at timestamptz,
    due_at timestamptz not null default now(),
    tried_at timestamptz,
    -- A worker is at it.
    held_until timestamptz,
    -- Why the last one failed. Null: it didn't.
    failure text,
    primary key (bundle_id, environment)
) with (fillfactor = 50);
comment on table counterfoil.catch_ups is 'How far Apple''s history of notifications was read.';
grant select, insert, update on counterfoil.catch_ups to counterfoil_worker;
grant select, update (due_at, whole_at, caught_up_to) on counterfoil.catch_ups to counterfoil_support;
grant select on counterfoil.catch_ups to counterfoil_reader;

insert into counterfoil.catch_ups (bundle_id, environment)
select a.bundle_id, e.environment
from counterfoil.apps a
cross join (values ('production'), ('sandbox')) as e (environment);

alter table counterfoil.budgets drop constraint budgeted_endpoint_is_known;
alter table counterfoil.budgets add constraint budgeted_endpoint_is_known check (
    endpoint in (
        'get_transaction_info', 'get_transaction_info_of_bare_id', 'finish_transaction', 'get_notification_history'
    )
);
insert into counterfoil.budgets (bundle_id, endpoint, environment, calls_per_second)
select a.bundle_id, 'get_notification_history', e.environment, e.rate
from counterfoil.apps a
cross join (values ('production', 50), ('sandbox', 5)) as e (environment, rate)
on conflict do nothing;

-- A notification is work like a proof: claimed, leased, settled. It has no order. Where its payment is an order's, it brings that
-- order a proof: a job that verifies, and that says who found it.
alter table counterfoil.jobs alter column order_id drop not null;
alter table counterfoil.jobs add column notification_id bigint;
-- What showed the proof of a job that verifies, where no client did.
alter table counterfoil.jobs add column found_by text;
-- The work of a notification, once. Guards store_notification, upload_found_payments, replay_notifications.
create unique index one_job_a_notification on counterfoil.jobs (notification_id) where kind = 'notification';

grant insert (notification_id, priority) on counterfoil.jobs to counterfoil_worker, counterfoil_support;
grant insert (run_at, found_by) on counterfoil.jobs to counterfoil_worker;

-- Apple's customer, as a signed transaction names it (appTransactionId): the same for all that one Apple account bought in the app.
alter table counterfoil.payments add column customer_id text collate "C";
grant update (customer_id) on counterfoil.payments to counterfoil_worker, counterfoil_support;
-- The accounts that a customer was seen with: candidates for an operator (accounts_of_customer). Nothing that grants reads them.
create index payments_by_customer on counterfoil.payments (customer_id, account_id) where customer_id is not null and account_id is not null;

alter table counterfoil.order_events drop constraint order_event_kind_is_known;
alter table counterfoil.order_events add constraint order_event_kind_is_known check (
    kind in (
        'cancelled', 'imported', 'assigned', 'refunded', 'refund_reversed', 'judged_again', 'job_retried', 'job_discarded',
        'job_cancelled', 'found'
    )
);

-- What the App Store asks about a refund that a customer wants. The shop answers within twelve hours, or not at all.
create table counterfoil.consumption_requests (
    notification_id bigint primary key,
    bundle_id text collate "C" not null,
    environment text not null,
    transaction_id text collate "C" not null,
    -- In Apple's words.
    reason text,
    requested_at timestamptz not null,
    deadline timestamptz not null,
    -- The refund was made, or declined.
    closed_at timestamptz
);
comment on table counterfoil.consumption_requests is 'Refunds that customers asked Apple for, and about which Apple asks the shop.';
create index consumption_requests_by_transaction on counterfoil.consumption_requests (transaction_id);
grant select, insert, update (closed_at) on counterfoil.consumption_requests to counterfoil_worker;
grant select on counterfoil.consumption_requests to counterfoil_support, counterfoil_reader;

-- What Apple signed last of a subscription's renewal.
create table counterfoil.subscriptions (
    original_transaction_id text collate "C" not null,
    bundle_id text collate "C" not null,
    environment text collate "C" not null,
    -- The product that the next period is of.
    renews_as text collate "C",
    will_renew boolean,
    is_in_billing_retry boolean,
    grace_ends_at timestamptz,
    renews_at timestamptz,
    -- Why it ended, in Apple's number.
    expiration_intent integer,
    as_of timestamptz not null,
    constraint one_row_a_subscription primary key (original_transaction_id, bundle_id, environment)
) with (fillfactor = 80);
comment on table counterfoil.subscriptions is 'What Apple signed last of a subscription''s renewal.';
grant select, insert, update on counterfoil.subscriptions to counterfoil_worker;
grant select on counterfoil.subscriptions to counterfoil_support, counterfoil_reader;
