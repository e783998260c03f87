-- What happened: finished attempts, changes to orders outside of settlement, and the counts that dashboards read.

set local role counterfoil_owner;

-- A row a finished attempt, a partition a month (make_attempt_partitions, drop_old_attempts). A trigger keeps it append-only. A
-- plain grant has none: its attempt stands in the payment's row. The view attempts has both.
create table counterfoil.other_attempts (
    job_id bigint not null,
    order_number bigint not null,
    -- Identifies the attempt: a settlement may be sent again.
    lease_token bigint not null,
    attempt integer not null,
    -- retry: waits, and counts. snooze: waits, and doesn't count. release: handed back at once, and doesn't count.
    disposition text not null
        constraint disposition_is_known
        check (disposition in ('complete', 'retry', 'snooze', 'release', 'discard', 'rescue', 'cancel')),
    reason text,
    -- What happened, in a line; never a proof or a secret.
    message text,
    proof_kind text,
    environment text,
    transaction_id text collate "C",
    worker_id bigint,
    submitted_at timestamptz not null,
    claimed_at timestamptz not null,
    finished_at timestamptz not null default now()
) partition by range (finished_at);
comment on table counterfoil.other_attempts is 'One finished attempt that was no plain grant. Append-only; partitioned by month.';

-- The attempts of an order. Serves order_story, show_attempts, checks/orders_left_behind.
create index other_attempts_by_order on counterfoil.other_attempts (order_number);
-- The attempts of a minute. Serves roll_up. Rows come in the order of time: BRIN costs a settlement no write-ahead log that can
-- be measured, where a btree took 63 bytes more an attempt.
create index other_attempts_by_time on counterfoil.other_attempts using brin (finished_at) with (autosummarize = on);

-- A settlement never fails for want of a partition.
create table counterfoil.other_attempts_default partition of counterfoil.other_attempts default;

grant select, insert on counterfoil.other_attempts to counterfoil_worker, counterfoil_support;
-- For checks/attempts_outside_their_partitions.
grant select on counterfoil.other_attempts_default to counterfoil_worker, counterfoil_support;

-- A trigger keeps it append-only.
create table counterfoil.order_events (
    id bigint generated always as identity primary key,
    order_id text collate "C" not null constraint event_names_a_known_order references counterfoil.orders (order_id),
    occurred_at timestamptz not null default now(),
    kind text not null constraint order_event_kind_is_known check (
        kind in (
            'cancelled', 'imported', 'assigned', 'refunded', 'refund_reversed', 'judged_again', 'job_retried',
            'job_discarded', 'job_cancelled'
        )
    ),
    who text not null default session_user,
    why text not null constraint why_has_1_to_1000_characters check (length(why) between 1 and 1000)
);
comment on table counterfoil.order_events is 'A change to an order that settlement did not make by itself. Append-only.';

-- The events of an order. Serves order_story, show_order_events, checks/orders_left_behind.
create index order_events_by_order on counterfoil.order_events (order_id);

grant select on counterfoil.order_events to counterfoil_worker, counterfoil_support;
grant insert (order_id, kind, who, why) on counterfoil.order_events to counterfoil_worker, counterfoil_support;

-- Stands for an index on the state of orders. roll_up adds orders that attempts left in review; restore_order, settle_payments
-- and review_awaited_renewals add those that no attempt left there. prune_roll_ups removes orders that left review.
create table counterfoil.orders_in_review (
    order_id text collate "C" primary key constraint reviewed_order_is_known references counterfoil.orders (order_id),
    since timestamptz not null
);
comment on table counterfoil.orders_in_review is
    'The orders that attempts, and reversed refunds, left in review, so that nobody looks through all orders for them; some have '
    'left since.';

-- The orders that have been in review for longest. Serves stuck_orders.
create index orders_in_review_by_age on counterfoil.orders_in_review (since);

grant select, insert on counterfoil.orders_in_review to counterfoil_worker, counterfoil_support;

-- Open orders whose proof showed the present period of another product of the account: after a downgrade, the renewal pays for
-- them. review_awaited_renewals leaves those in review that none came for.
create table counterfoil.awaited_renewals (
    order_id text collate "C" primary key constraint awaiting_order_is_known references counterfoil.orders (order_id),
    review_at timestamptz not null
);
comment on table counterfoil.awaited_renewals is 'Orders that wait for the renewal after a downgrade; some are paid, or cancelled, since.';

-- Those that waited long enough. Serves review_awaited_renewals.
create index awaited_renewals_by_time on counterfoil.awaited_renewals (review_at);

grant select, insert, update, delete on counterfoil.awaited_renewals to counterfoil_worker;

-- The roll-ups: workers count attempts and orders by the minute and by the hour (roll_up), and views for administrators read
-- the counts. The primary keys begin with the time: they serve these views, roll_up and prune_roll_ups.

create table counterfoil.roll_up_marks (
    one_row boolean primary key default true constraint there_is_one_mark check (one_row),
    -- Minutes before counted_to were counted, and those before final_to for good.
    counted_to timestamptz not null,
    final_to timestamptz not null,
    constraint minutes_are_counted_before_they_are_final check (final_to <= counted_to)
) with (fillfactor = 50);
comment on table counterfoil.roll_up_marks is 'How far the roll-ups have come.';
insert into counterfoil.roll_up_marks (counted_to, final_to) values (date_trunc('minute', now()), date_trunc('minute', now()));
grant select on counterfoil.roll_up_marks to counterfoil_worker, counterfoil_support;

create table counterfoil.attempt_minutes (
    minute timestamptz not null,
    bundle_id text collate "C" not null,
    -- The result by attempt_outcome, and its reason; '' where there is none.
    outcome text collate "C" not null,
    reason text collate "C" not null,
    proof_kind text collate "C" not null,
    environment text collate "C" not null,
    attempts bigint not null,
    primary key (minute, bundle_id, outcome, reason, proof_kind, environment)
);
comment on table counterfoil.attempt_minutes is 'How many attempts finished in a minute, by what came of them.';

create table counterfoil.attempt_hours (like counterfoil.attempt_minutes including all);
alter table counterfoil.attempt_hours rename column minute to hour;
comment on table counterfoil.attempt_hours is 'The same by the hour.';

-- A histogram is one row, as percentiles read it: with a row for each bucket, reading took eight times as long.
create table counterfoil.latency_minutes (
    minute timestamptz not null,
    bundle_id text collate "C" not null,
    measure text collate "C" not null
        constraint measure_is_known check (measure in ('pick_up', 'attempt', 'fulfilment')),
    -- The buckets that hold attempts, in order. A bucket is the index of the highest of latency_bounds that was reached, or 0.
    buckets smallint[] not null,
    -- How many attempts lie in each of these buckets or below it.
    reached bigint[] not null
        constraint every_bucket_is_counted check (cardinality(reached) > 0 and cardinality(reached) = cardinality(buckets)),
    primary key (minute, bundle_id, measure)
);
comment on table counterfoil.latency_minutes is
    'How long it took from the upload to the first claim, from a claim to its end, and from the upload to the grant.';

create table counterfoil.latency_hours (like counterfoil.latency_minutes including all);
alter table counterfoil.latency_hours rename column minute to hour;
comment on table counterfoil.latency_hours is 'The same by the hour.';

create table counterfoil.product_minutes (
    minute timestamptz not null,
    bundle_id text collate "C" not null,
    product_id text collate "C" not null,
    ordered bigint not null,
    -- Proofs that were judged, with any result.
    judged bigint not null,
    fulfilled bigint not null,
    rejected bigint not null,
    reviewed bigint not null,
    refunded bigint not null,
    primary key (minute, bundle_id, product_id)
);
comment on table counterfoil.product_minutes is 'What happened to the orders of a product in a minute.';

create table counterfoil.product_hours (like counterfoil.product_minutes including all);
alter table counterfoil.product_hours rename column minute to hour;
comment on table counterfoil.product_hours is 'The same by the hour.';

create table counterfoil.suspicion_minutes (
    minute timestamptz not null,
    bundle_id text collate "C" not null,
    account_id text collate "C" not null,
    reason text collate "C" not null,
    attempts bigint not null,
    primary key (minute, bundle_id, account_id, reason)
);
comment on table counterfoil.suspicion_minutes is
    'Proofs of an account that were duplicates, replays or forgeries; only accounts that sent any have rows.';
