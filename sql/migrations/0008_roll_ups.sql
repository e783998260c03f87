-- What administrators look at: counts that workers keep by the minute and the hour, the orders in review, and the
-- limits of whoever reads them. History can be dropped by retention, acts by hand have words of their own.

-- The owner's functions tell a reader who holds the oldest snapshot, without the text of anybody's query. Where this
-- may not be granted, health says that it can't see, and a superuser grants it.
do $$
begin
    grant pg_monitor to counterfoil_owner;
exception when insufficient_privilege then
    raise warning 'pg_monitor could not be granted to counterfoil_owner: health sees no sessions of other roles';
end
$$;

do $$
declare
    setting text;
begin
    foreach setting in array array[
        -- A shop's database transaction that hangs holds its orders and keeps vacuum off the queue.
        'counterfoil_backend in database %1$I set statement_timeout = ''30s''',
        'counterfoil_backend in database %1$I set lock_timeout = ''10s''',
        'counterfoil_backend in database %1$I set idle_in_transaction_session_timeout = ''60s''',
        -- A dashboard waits for nobody, and takes one processor at most.
        'counterfoil_reader in database %1$I set lock_timeout = ''1s''',
        'counterfoil_reader in database %1$I set max_parallel_workers_per_gather = 0',
        'counterfoil_reader in database %1$I set jit = off'
    ]
    loop
        execute format('alter role ' || setting, current_database());
    end loop;
end
$$;

set local role counterfoil_owner;

-- Serves roll_up. BRIN, which costs a settlement nothing that can be measured: history is appended in the order of
-- time.
create index attempts_by_time on counterfoil.attempts using brin (finished_at) with (autosummarize = on);
-- Serves roll_up. An update of an order doesn't touch it.
create index orders_by_time on counterfoil.orders using brin (created_at) with (autosummarize = on);
-- Serves paid_not_delivered.
create index unclaimed_transactions_by_age on counterfoil.unclaimed_transactions (first_seen_at)
    where reason <> 'renewal';

create table counterfoil.roll_up_marks (
    one_row boolean primary key default true constraint there_is_one_mark check (one_row),
    -- Minutes before were counted, and those before final_to for good.
    counted_to timestamptz not null,
    final_to timestamptz not null,
    constraint minutes_are_counted_before_they_are_final check (final_to <= counted_to)
) with (fillfactor = 50);
comment on table counterfoil.roll_up_marks is 'How far the roll-ups have come.';

-- From the beginning of what there is: workers catch up.
insert into counterfoil.roll_up_marks (counted_to, final_to)
select m.start, m.start
from (
    select date_trunc(
        'minute',
        least(
            now(), (select min(a.finished_at) from counterfoil.attempts a),
            (select min(o.created_at) from counterfoil.orders o)
        )
    ) as start
) m;

create table counterfoil.attempt_minutes (
    minute timestamptz not null,
    bundle_id text collate "C" not null,
    -- What came of the attempts, as attempt_outcome tells it, and why; '' where there is nothing to say.
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

create table counterfoil.latency_minutes (
    minute timestamptz not null,
    bundle_id text collate "C" not null,
    measure text collate "C" not null
        constraint measure_is_known check (measure in ('pick_up', 'attempt', 'fulfilment')),
    -- Index of the highest of latency_bounds that was reached; 0 when none was.
    bucket smallint not null,
    attempts bigint not null,
    primary key (minute, bundle_id, measure, bucket)
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
    -- Proofs that were judged, whatever came of it.
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

create table counterfoil.orders_in_review (
    order_id text collate "C" primary key constraint reviewed_order_is_known references counterfoil.orders (order_id),
    since timestamptz not null
);
comment on table counterfoil.orders_in_review is
    'The orders that attempts left in review, so that nobody looks through all orders for them; some have left since.';
-- Serves stuck_orders.
create index orders_in_review_by_age on counterfoil.orders_in_review (since);
insert into counterfoil.orders_in_review (order_id, since)
select o.order_id, coalesce(o.last_attempt_at, o.updated_at) from counterfoil.orders o where o.state = 'review';

alter table counterfoil.order_events
    drop constraint order_event_kind_is_known,
    add constraint order_event_kind_is_known check (
        kind in (
            'cancelled', 'imported', 'assigned', 'refunded', 'judged_again', 'job_retried', 'job_discarded', 'job_cancelled'
        )
    );

grant insert (order_id, kind, who, why) on counterfoil.order_events to counterfoil_worker;
-- For requeue_proofs.sql: a kept proof goes back into the queue.
grant insert (proof) on counterfoil.jobs to counterfoil_worker;
grant select on counterfoil.roll_up_marks to counterfoil_worker;
-- For checks/attempts_outside_their_partitions.sql.
grant select on counterfoil.attempts_default to counterfoil_worker;
