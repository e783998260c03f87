-- What is kept of subscriptions beside their payments: when each period ends, by Apple's newest word; and what the feed told.

set local role counterfoil_owner;

-- A payment's expires_at is what the proof said that showed or paid it. Apple may say another end since, for instance because it
-- extended the period: the newest word counts, by the time for which Apple said it, never by its arrival.
create table counterfoil.period_ends (
    transaction_id text collate "C" not null,
    bundle_id text collate "C" not null,
    environment text collate "C" not null,
    ends_at timestamptz not null,
    -- signedDate of a signed transaction, the creation date of a receipt, the request date of an answer of verifyReceipt.
    as_of timestamptz not null,
    constraint one_end_a_period primary key (transaction_id, bundle_id, environment)
) with (fillfactor = 90);
comment on table counterfoil.period_ends is 'When each period of a subscription ends, by Apple''s newest word.';
grant select, insert, update on counterfoil.period_ends to counterfoil_worker, counterfoil_support;
grant select on counterfoil.period_ends to counterfoil_reader;

-- Periods that name an account by a grant, or by an order that they answered. Serves owner_of_period.
create index periods_that_name_an_account on counterfoil.payments (original_transaction_id, bundle_id, environment, purchased_at)
    where original_transaction_id <> transaction_id and (granted_at is not null or reason in ('refunded', 'partly_refunded'));
-- Periods with a token, which speaks for its run: each token of a subscription, and its periods. Serves owner_of_period.
create index periods_with_a_token on counterfoil.payments (
    original_transaction_id, bundle_id, environment, app_account_token, purchased_at
)
    where original_transaction_id <> transaction_id and app_account_token is not null;
-- The other names of a period, and no others of its subscription's thousands. Serves names_of_payment, payment_states.
create index periods_by_line_item on counterfoil.payments (web_order_line_item_id, bundle_id, environment)
    where original_transaction_id <> transaction_id and web_order_line_item_id is not null;

-- odd: Apple signed it, and what it tells, or a part of that, can't be read or is of another app: a person has to look. What can be
-- read counts.
-- denied: it is of a sandbox purchase that the app doesn't take from this account. Nothing followed from it.
alter table counterfoil.notifications drop constraint notification_outcome_is_known;
alter table counterfoil.notifications
    add constraint notification_outcome_is_known check (outcome in ('recorded', 'stored', 'odd', 'denied'));
-- Serves health.
create index odd_notifications on counterfoil.notifications (processed_at) where outcome = 'odd';
-- Serves requeue_denied_notifications.
create index denied_notifications on counterfoil.notifications (original_transaction_id, bundle_id, environment, signed_at)
    where outcome = 'denied';

-- What was passed on as a notification and is none in Apple's form, counted: an error would take its count back.
create table counterfoil.unreadable_notifications (
    -- receive_notification names it.
    kind text primary key,
    refused bigint not null default 0,
    first_at timestamptz,
    last_at timestamptz
);
comment on table counterfoil.unreadable_notifications is
    'Texts that were passed on as notifications and aren''t in Apple''s form, counted by kind.';
insert into counterfoil.unreadable_notifications (kind)
values ('version_1'), ('wrapped'), ('no_notification'), ('another_store'), ('damaged');
grant select on counterfoil.unreadable_notifications to counterfoil_worker, counterfoil_support, counterfoil_reader;

-- Questions that may still be answered. Serves consumption_request_status.
create index open_consumption_requests on counterfoil.consumption_requests (deadline) where closed_at is null;

-- What a change tells beside the columns of all: feed.md has the names, by kind.
alter table counterfoil.changes add column details jsonb;
alter type counterfoil.change add attribute details jsonb;
-- It returns the column, too.
drop function if exists counterfoil.changes_since(text, integer);

-- What Apple signed of a purchase beside its price, as SignedTerms writes it. No rule needs it; purchase_terms shows it.
alter table counterfoil.payments add column terms jsonb;
grant update (terms) on counterfoil.payments to counterfoil_worker, counterfoil_support;

-- What somebody else paid for: a family member has it, or the holder of a seat. No rule of the ledger reads it, and nothing is
-- granted for it.
create table counterfoil.accesses (
    transaction_id text collate "C" not null,
    bundle_id text collate "C" not null,
    environment text collate "C" not null constraint access_environment_is_known check (environment in ('production', 'sandbox')),
    original_transaction_id text collate "C" not null,
    product_id text collate "C" not null,
    product_kind text,
    ownership text not null constraint access_ownership_is_known check (ownership in ('family_shared', 'assigned')),
    purchased_at timestamptz not null,
    -- Null: for good.
    ends_at timestamptz,
    -- Whoever paid shares it no more, or took the seat away.
    ended_at timestamptz,
    -- When Apple signed this.
    as_of timestamptz not null,
    -- The account that showed it first. Null: only Apple told.
    account_id text collate "C",
    constraint one_access_a_transaction primary key (transaction_id, bundle_id, environment)
) with (fillfactor = 90);
comment on table counterfoil.accesses is 'What somebody else paid for, and a family member or the holder of a seat has.';
grant select, insert, update on counterfoil.accesses to counterfoil_worker;
grant select on counterfoil.accesses to counterfoil_support, counterfoil_reader;
-- The periods of one member, the latest first. Serves access_states, subscription_status_of.
create index accesses_by_original on counterfoil.accesses (original_transaction_id, bundle_id, environment, purchased_at);

-- Apple may be asked for the newest of a subscription. When it was asked last, since nothing was told of it.
alter table counterfoil.subscriptions add column asked_at timestamptz;
-- Those that should have renewed. Serves find_silent_subscriptions.
create index subscriptions_by_renewal on counterfoil.subscriptions (bundle_id, environment, renews_at) where will_renew;
-- An operator asks, too.
grant insert, update on counterfoil.subscriptions to counterfoil_support;
grant insert, update on counterfoil.accesses to counterfoil_support;
-- And the payment that Apple answers with goes to the order that it was made for.
grant insert (run_at, found_by) on counterfoil.jobs to counterfoil_support;
grant update (order_id) on counterfoil.notifications to counterfoil_support;
alter table counterfoil.budgets drop constraint budgeted_endpoint_is_known;
alter table counterfoil.budgets add constraint budgeted_endpoint_is_known check (
    endpoint in (
        'get_transaction_info', 'get_transaction_info_of_bare_id', 'finish_transaction', 'get_notification_history',
        'get_all_subscription_statuses'
    )
);
insert into counterfoil.budgets (bundle_id, endpoint, environment, calls_per_second)
select a.bundle_id, 'get_all_subscription_statuses', e.environment, e.rate
from counterfoil.apps a
cross join (values ('production', 50), ('sandbox', 5)) as e (environment, rate)
on conflict do nothing;

-- What the feed told last of a payment that no order has, so that it can be taken back by the same way. A row a payment that was
-- told; the row stays when the payment becomes an order's.
create table counterfoil.told_payments (
    transaction_id text collate "C" not null,
    bundle_id text collate "C" not null,
    environment text collate "C" not null,
    original_transaction_id text collate "C" not null,
    purchased_at timestamptz not null,
    -- granted, restored: it is an order's.
    name text not null constraint told_name_is_known check (name in ('unclaimed', 'renewal', 'granted', 'restored')),
    account_id text collate "C",
    -- As a change has it. Null beside is_refunded: Apple leaves open how much.
    share integer,
    is_refunded boolean not null,
    -- The database transaction that told it, or learnt of the payment what says whose the others are.
    xid xid8 not null default pg_current_xact_id(),
    constraint one_telling_a_payment primary key (transaction_id, bundle_id, environment)
) with (fillfactor = 90);
comment on table counterfoil.told_payments is 'Private: what the feed told last of each payment that no order had then.';
-- Those of one subscription that may be called otherwise. Serves tell_subscriptions.
create index told_payments_by_original on counterfoil.told_payments (
    original_transaction_id, bundle_id, environment, purchased_at
)
    where name in ('unclaimed', 'renewal');

-- What the feed told last of each subscription.
create table counterfoil.told_subscriptions (
    original_transaction_id text collate "C" not null,
    bundle_id text collate "C" not null,
    environment text collate "C" not null,
    -- As details of subscription_changed has it, without what passes by itself.
    state jsonb not null,
    constraint one_telling_a_subscription primary key (original_transaction_id, bundle_id, environment)
) with (fillfactor = 70);
comment on table counterfoil.told_subscriptions is 'Private: what the feed told last of each subscription.';
