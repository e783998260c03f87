-- Pending verifications, the workers that run them, and the proofs kept of orders that were not granted.

set local role counterfoil_owner;

create table counterfoil.workers (
    id bigint generated always as identity primary key,
    name text not null,
    host text not null,
    pid integer not null,
    version text not null,
    slots integer not null,
    running integer not null default 0,
    started_at timestamptz not null default now(),
    heartbeat_at timestamptz not null default now()
) with (fillfactor = 50);
comment on table counterfoil.workers is 'A running worker, with its last sign of life.';

create table counterfoil.jobs (
    id bigint generated always as identity primary key,
    order_id text collate "C" not null constraint job_names_a_known_order references counterfoil.orders (order_id),
    -- The account that uploaded, when the backend says so; it must be the order's.
    account_id text collate "C",
    -- A hint for choosing among a receipt's entries.
    transaction_id text collate "C"
        constraint hinted_transaction_id_has_1_to_64_characters check (length(transaction_id) between 1 and 64),
    proof text not null constraint proof_has_1_byte_to_4_mib check (octet_length(proof) between 1 and 4194304),
    lane integer not null,
    priority smallint not null default 1 constraint priority_is_0_to_3 check (priority between 0 and 3),
    state text not null default 'available'
        constraint job_state_is_known check (state in ('available', 'running', 'discarded')),
    run_at timestamptz not null default now(),
    -- Attempts that count: raised by the claim, taken back by a release or a snooze.
    attempt integer not null default 0,
    -- Rises at every claim and never goes down: the fence.
    lease_token bigint not null default 0,
    claimed_at timestamptz,
    lease_expires_at timestamptz,
    worker_id bigint,
    -- Leases that ran out, and crashes of attempts in a process of their own.
    rescues smallint not null default 0,
    crashes smallint not null default 0,
    -- Why it waits or was given up, after its last attempt.
    reason text,
    created_at timestamptz not null default now(),
    constraint running_jobs_hold_a_lease
        check (
            (state = 'running') = (lease_expires_at is not null) and (state = 'running') = (worker_id is not null)
            and (state = 'running') = (claimed_at is not null)
        ),
    constraint discarded_jobs_say_why check (state <> 'discarded' or reason is not null)
) with (
    fillfactor = 80, autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 1000,
    autovacuum_vacuum_cost_delay = 0, autovacuum_analyze_scale_factor = 0.5, toast.autovacuum_vacuum_scale_factor = 0.05,
    toast.autovacuum_vacuum_cost_delay = 0
);
-- Base64 doesn't shrink: it goes out of line as it is, and a claim doesn't copy it. PostgreSQL does so for rows of more than
-- 2 kB whatever toast_tuple_target says; a small one only puts the ids out of line as well.
alter table counterfoil.jobs alter column proof set storage external;
-- Whatever the statistics saw, and they may have seen one order only: an order has few jobs, and its index finds them.
alter table counterfoil.jobs alter column order_id set (n_distinct = -0.5);
comment on table counterfoil.jobs is 'A pending verification: one proof for one order. Gone once it is settled.';

-- Serves claim_jobs.sql and list_lanes_in_use.sql.
create index available_jobs on counterfoil.jobs (lane, priority, run_at, id) where state = 'available';
-- The rule itself; serves rescue_expired_jobs.sql, which reads all of it: what runs is little.
create unique index jobs_of_one_order_run_one_at_a_time on counterfoil.jobs (order_id) where state = 'running';
-- Serves claim_jobs.sql, order_status and the limit of pending jobs.
create index jobs_by_order on counterfoil.jobs (order_id);

create table counterfoil.proofs (
    job_id bigint primary key,
    order_id text collate "C" not null constraint proof_names_a_known_order references counterfoil.orders (order_id),
    transaction_id text collate "C",
    proof text not null,
    reason text not null,
    kept_at timestamptz not null default now()
);
alter table counterfoil.proofs alter column proof set storage external;
comment on table counterfoil.proofs is 'The proof of a rejected or reviewed order, kept to be judged again.';
create index proofs_by_order on counterfoil.proofs (order_id);
-- Serves prune_proofs.sql.
create index proofs_by_age on counterfoil.proofs (kept_at);

grant insert (order_id, proof, account_id, transaction_id) on counterfoil.jobs to counterfoil_backend;
grant select, delete on counterfoil.jobs to counterfoil_worker;
grant update (
    lane, priority, state, run_at, attempt, lease_token, claimed_at, lease_expires_at, worker_id, rescues, crashes, reason
) on counterfoil.jobs to counterfoil_worker;
grant select, insert, update, delete on counterfoil.workers to counterfoil_worker;
-- Locked ("for update") before they are pruned, never changed.
grant select, insert, update, delete on counterfoil.proofs to counterfoil_worker;
