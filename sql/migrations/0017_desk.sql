-- What people look for: payments that weren't granted, by whatever a customer can name. And what they do about them.

set local role counterfoil_owner;

-- No grant of the short path is in these. Serve find_anything, customer_payments.
create index payments_ungranted_by_account on counterfoil.payments (account_id, seen_at)
    where reason is not null and account_id is not null;
create index payments_ungranted_by_token on counterfoil.payments (app_account_token)
    where reason is not null and app_account_token is not null;
-- Other periods are in periods_by_line_item.
create index first_periods_ungranted_by_line_item on counterfoil.payments (web_order_line_item_id)
    where original_transaction_id = transaction_id and web_order_line_item_id is not null and reason is not null;

-- proof_read: somebody took the proof out of the database, to look at it.
alter table counterfoil.order_events drop constraint order_event_kind_is_known;
alter table counterfoil.order_events add constraint order_event_kind_is_known check (
    kind in (
        'cancelled', 'imported', 'assigned', 'refunded', 'refund_reversed', 'judged_again', 'job_retried', 'job_discarded',
        'job_cancelled', 'found', 'proof_read'
    )
);

-- The jobs that were given up, in their order. Serves list_jobs.
create index discarded_jobs_by_id on counterfoil.jobs (id) where state = 'discarded';

-- The notifications that led to an order. Serves list_notifications.
create index notifications_by_order on counterfoil.notifications (order_id) where order_id is not null;

-- The version of the app that made a receipt: reviews are grouped by it. Null where the proof doesn't say.
alter table counterfoil.other_attempts add column app_version text collate "C";
alter table counterfoil.orders_in_review add column app_version text collate "C";

-- One person with two accounts. A move makes all that one account has the other's, and a transfer one order: rows are kept under
-- the account that they were written with, and account_now says whose they are. Append-only, by trigger.
create table counterfoil.moves (
    id bigint generated always as identity primary key,
    -- The order that was transferred. Null: the account was moved.
    order_number bigint,
    from_account text collate "C" not null,
    to_account text collate "C" not null,
    who text not null,
    why text not null constraint why_of_a_move_has_1_to_1000_characters check (length(why) between 1 and 1000),
    moved_at timestamptz not null default now()
);
comment on table counterfoil.moves is 'Accounts that were moved to another, and orders that were transferred. Append-only.';
-- The transfers of an order. Serves order_story.
create index moves_by_order on counterfoil.moves (order_number) where order_number is not null;
-- The moves of an account. Serves moves_of_account.
create index moves_from_account on counterfoil.moves (from_account);
create index moves_to_account on counterfoil.moves (to_account);
grant select on counterfoil.moves to counterfoil_worker, counterfoil_support, counterfoil_reader;

-- What follows of them, for look-ups. Both tables are usually empty.
create table counterfoil.moved_accounts (
    account_id text collate "C" primary key,
    -- The last of its moves: a move of a move is followed.
    account_now text collate "C" not null,
    -- When this account was moved.
    moved_at timestamptz not null default now(),
    constraint moved_accounts_are_others check (account_id <> account_now)
);
comment on table counterfoil.moved_accounts is 'Which account a moved one is now.';
-- Serves accounts_of.
create index moved_accounts_by_account on counterfoil.moved_accounts (account_now);
grant select on counterfoil.moved_accounts to counterfoil_backend, counterfoil_worker, counterfoil_support, counterfoil_reader;

create table counterfoil.moved_orders (
    order_number bigint primary key,
    -- As the transfer named it: that account may have been moved since.
    account_id text collate "C" not null,
    -- The payment that the order was granted.
    original_transaction_id text collate "C" not null,
    bundle_id text collate "C" not null,
    environment text collate "C" not null,
    purchased_at timestamptz not null
);
comment on table counterfoil.moved_orders is 'Which account a transferred order is of now.';
-- Serves orders_of, open_orders, desk_orders.
create index moved_orders_by_account on counterfoil.moved_orders (account_id);
-- Serves account_of_transfer.
create index moved_orders_by_original on counterfoil.moved_orders (original_transaction_id, bundle_id, environment, purchased_at);
grant select on counterfoil.moved_orders to counterfoil_worker, counterfoil_support, counterfoil_reader;

-- Accounts that were forgotten: forget_account. The row has no word of theirs.
create table counterfoil.erasures (
    -- What stands in the place of the account, and tells nothing of it.
    pseudonym text collate "C" primary key,
    who text not null,
    why text not null constraint why_of_an_erasure_has_1_to_1000_characters check (length(why) between 1 and 1000),
    forgotten_at timestamptz not null default now(),
    -- While the act lasts, and no longer: the append-only tables take changes of this database transaction alone. Nobody but the
    -- owner writes it: a setting could be set by anybody.
    database_transaction xid8
);
comment on table counterfoil.erasures is 'The accounts that were forgotten, by their pseudonyms.';
grant select on counterfoil.erasures to counterfoil_worker, counterfoil_support, counterfoil_reader;

-- What names an account apart from its orders. Serve forget_account, preview_of_account.
create index suspicion_minutes_by_account on counterfoil.suspicion_minutes (account_id);
-- Changes that name accounts in their details. Serves forget_account.
create index changes_with_details on counterfoil.changes (transaction_id) where details is not null;

-- What the shop says about a refund where nobody says otherwise. consumption_consented: customers agreed to what it tells Apple.
alter table counterfoil.apps
    add column consumption_consented boolean not null default false,
    add column sample_content_provided boolean not null default false,
    -- Null: none is sent.
    add column refund_preference text
        constraint app_refund_preference_is_known check (refund_preference in ('decline', 'grant_full', 'grant_prorated'));

-- What the shop decided about Apple's questions about refunds. Nothing of a row changes but how its sending goes.
create table counterfoil.consumption_answers (
    id bigint generated always as identity primary key,
    -- That of the question.
    notification_id bigint not null,
    -- waiting: a worker sends it. sent: Apple took it. refused: Apple takes no answer like this; another may follow. late: the
    -- deadline passed, or Apple decided, before it took the answer. declined: nothing is sent.
    state text not null constraint consumption_answer_state_is_known
        check (state in ('waiting', 'sent', 'refused', 'late', 'declined')),
    delivery_status text constraint delivery_status_is_known check (
        delivery_status in (
            'delivered', 'undelivered_quality_issue', 'undelivered_wrong_item', 'undelivered_server_outage', 'undelivered_other'
        )
    ),
    -- In thousandths of a percent. Null: none is sent.
    consumed_share integer constraint consumed_share_is_a_part check (consumed_share between 0 and 100000),
    refund_preference text
        constraint refund_preference_is_known check (refund_preference in ('decline', 'grant_full', 'grant_prorated')),
    sample_content_provided boolean,
    who text not null,
    why text not null constraint why_of_an_answer_has_1_to_1000_characters check (length(why) between 1 and 1000),
    answered_at timestamptz not null default now(),
    -- Calls that began.
    attempts integer not null default 0,
    -- Those whose answer may be a passing fault.
    uncertain_attempts integer not null default 0,
    next_at timestamptz not null default now(),
    -- Rises with each claim: a stale one settles nothing.
    lease_token integer not null default 0,
    lease_expires_at timestamptz,
    -- Why the last call failed.
    error text,
    ended_at timestamptz,
    constraint answers_say_what_was_delivered check (
        state = 'declined' or delivery_status is not null and sample_content_provided is not null
    ),
    constraint ended_answers_say_when check ((state = 'waiting') = (ended_at is null))
);
comment on table counterfoil.consumption_answers is 'What the shop decided about Apple''s questions about refunds.';
-- Guards decide_consumption_request: one decision a question, but where Apple refused it.
create unique index one_answer_a_question on counterfoil.consumption_answers (notification_id) where state <> 'refused';
-- Serves consumption_request_status.
create index consumption_answers_by_question on counterfoil.consumption_answers (notification_id, id);
-- Serves take_consumption_answer.
create index waiting_consumption_answers on counterfoil.consumption_answers (next_at) where state = 'waiting';
-- Serves health.
create index lost_consumption_answers on counterfoil.consumption_answers (ended_at) where state in ('refused', 'late');
grant select, update (state, attempts, uncertain_attempts, next_at, lease_token, lease_expires_at, error, ended_at)
    on counterfoil.consumption_answers to counterfoil_worker;
grant select on counterfoil.consumption_answers to counterfoil_support, counterfoil_reader;
-- Serves list_consumption.
create index consumption_requests_by_deadline on counterfoil.consumption_requests (deadline);

-- The secrets and keys that Apple accepted before it accepted another one. If one of them is refused, somebody still uses it.
create table counterfoil.former_credentials (
    lane integer not null constraint former_credential_names_a_known_gate references counterfoil.gates (lane),
    credential_digest bytea not null
        constraint former_credential_digest_has_32_bytes check (octet_length(credential_digest) = 32),
    -- When a call began that Apple accepted it for last.
    accepted_at timestamptz not null,
    primary key (lane, credential_digest)
);
comment on table counterfoil.former_credentials is 'The secrets and keys that Apple accepted before another one of their lane.';
grant select, insert, update on counterfoil.former_credentials to counterfoil_worker, counterfoil_support;

alter table counterfoil.budgets drop constraint budgeted_endpoint_is_known;
alter table counterfoil.budgets add constraint budgeted_endpoint_is_known check (
    endpoint in (
        'get_transaction_info', 'get_transaction_info_of_bare_id', 'finish_transaction', 'get_notification_history',
        'get_all_subscription_statuses', 'send_consumption_information'
    )
);
insert into counterfoil.budgets (bundle_id, endpoint, environment, calls_per_second)
select a.bundle_id, 'send_consumption_information', e.environment, e.rate
from counterfoil.apps a
cross join (values ('production', 50), ('sandbox', 5)) as e (environment, rate)
on conflict do nothing;
