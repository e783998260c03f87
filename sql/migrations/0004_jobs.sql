-- The queue: workers, the jobs that they run, and the proofs kept of orders that were not granted.

set local role counterfoil_owner;

-- Rows are updated with each heartbeat: the low fill factor leaves room in the page for the new version of a row.
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
grant select, insert, update, delete on counterfoil.workers to counterfoil_worker;
grant select on counterfoil.workers to counterfoil_support;

-- Numbers of jobs, within an epoch (next_job_id).
create sequence counterfoil.job_ids;

-- Every job is inserted, updated and deleted within seconds. The fill factor leaves room in the page for the new version of a
-- row, and vacuum comes after 1 % of dead rows and doesn't pause. What never changes is checked by prepare_job and refuse_job.
create table counterfoil.jobs (
    -- By next_job_id, which is its default.
    id bigint primary key,
    order_id text collate "C" not null,
    -- The order's number. The trigger prepare_job finds it, unless insert_finish_jobs has.
    order_number bigint constraint job_names_a_known_order references counterfoil.orders (number),
    -- The account that uploaded the proof, if the backend names one. It must be the order's.
    account_id text collate "C",
    -- Of a job that verifies: a hint that picks one purchase of a receipt. Of a follow-up: the granted transaction.
    transaction_id text collate "C",
    proof text,
    -- The trigger prepare_job guesses the lane from the proof's first characters; a worker corrects it.
    lane integer not null,
    priority smallint not null default 1 constraint priority_is_0_to_3 check (priority between 0 and 3),
    state text not null default 'available'
        constraint job_state_is_known check (state in ('available', 'running', 'discarded')),
    run_at timestamptz not null default now(),
    -- Attempts that count: the claim adds one, a release or a snooze takes it back.
    attempt integer not null default 0,
    -- The fence: rises with every claim and never goes down.
    lease_token bigint not null default 0,
    claimed_at timestamptz,
    lease_expires_at timestamptz,
    worker_id bigint,
    -- How many of its leases ran out, and how many attempts crashed in a process of their own.
    rescues smallint not null default 0,
    crashes smallint not null default 0,
    -- Why it waits or was discarded, after its last attempt.
    reason text,
    created_at timestamptz not null default now(),
    -- verify or finish.
    kind text not null default 'verify',
    -- Attempts with an answer that may be a passing fault. Apple's outages don't count among them.
    uncertain_attempts integer not null default 0,
    -- When Apple's answers first and last lacked the purchase. The job is given up a day after the first time, however long
    -- it was parked before. If the last time is long ago, because Apple or all workers were down, one more check comes first.
    missing_since timestamptz,
    last_missing_at timestamptz,
    -- No other job of its order was there when it was inserted, and it was never put back. A hint that spares a claim the look at
    -- the order's other jobs. It may be wrong: another came at the same moment, or later, and ran first in another lane. Then the
    -- index refuses the claim (one_job_of_an_order_runs_at_a_time), and mark_jobs_beside_others corrects the hint.
    is_alone boolean not null default true,
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
alter sequence counterfoil.job_ids owned by counterfoil.jobs.id;
comment on table counterfoil.jobs is 'A pending verification: one proof for one order, or a follow-up of a grant. Gone once it ends; kept if it was discarded.';
-- Base64 doesn't shrink: it goes out of line uncompressed, and a claim doesn't copy it. PostgreSQL moves it out of rows of
-- more than 2 kB, whatever toast_tuple_target is; a small target only moves the ids out as well. sql/docs/idioms.md has figures.
alter table counterfoil.jobs alter column proof set storage external;
-- An order has few jobs, even if the statistics were made while the queue held jobs of one order only.
alter table counterfoil.jobs alter column order_number set (n_distinct = -0.5);

-- The due jobs of a lane and priority, in order. Serves claim_jobs, find_lane_heads, take_probes; measure_queue, lane_backlogs,
-- stuck_orders: how many wait, and since when.
create index available_jobs on counterfoil.jobs (lane, priority, run_at, id) where state = 'available';
-- The discarded jobs, found among millions that wait. Serves measure_queue, overview, health,
-- checks/discarded_jobs_without_a_verdict.
create index discarded_jobs on counterfoil.jobs (reason) where state = 'discarded';
-- The leases, in the order in which they run out: the rescue reads no others, also while an old snapshot holds vacuum back.
-- Serves rescue_expired_jobs; measure_queue, overview, worker_activity, checks/leases_held_by_nobody: what runs. These write the
-- condition as it stands here. A statement that finds a job by its id must not: planned while nothing ran, this index would
-- look like a shorter way.
create index leases on counterfoil.jobs (lease_expires_at) where lease_expires_at > '-infinity';
-- The jobs of an order, of which one runs at a time: waiting jobs have ids of their own, the running one takes the place of
-- number 0. One index for both writes one entry less in a claim than two. Guards claim_jobs. Serves claim_jobs,
-- find_lane_heads, mark_jobs_beside_others: the order's other jobs; order_status, prepare_job, submit, requeue_proofs,
-- checks/orders_left_behind.
create unique index one_job_of_an_order_runs_at_a_time
    on counterfoil.jobs (order_number, (case when state = 'running' then 0 else id end));

-- The few jobs that may have others of their order beside them. Serves lock_settling_jobs, grant_first_payments: what waited for a
-- job's end.
create index jobs_beside_others on counterfoil.jobs (order_number) where not is_alone;

grant insert (order_id, proof, account_id, transaction_id) on counterfoil.jobs to counterfoil_backend;
grant select, delete on counterfoil.jobs to counterfoil_worker, counterfoil_support;
-- For insert_finish_jobs, and for requeue_proofs, which puts a kept proof back into the queue.
grant insert (order_id, order_number, kind, transaction_id, lane, proof)
    on counterfoil.jobs to counterfoil_worker, counterfoil_support;
grant update (
    lane, priority, state, run_at, attempt, lease_token, claimed_at, lease_expires_at, worker_id, rescues, crashes, reason,
    uncertain_attempts, missing_since, last_missing_at, is_alone
) on counterfoil.jobs to counterfoil_worker;
-- For retry_jobs and discard_jobs.
grant update (state, run_at, attempt, crashes, reason, uncertain_attempts, missing_since, last_missing_at, is_alone)
    on counterfoil.jobs to counterfoil_support;

-- What is kept is bounded by order, and by account and day: keep_proofs has the rules, KeptProofLimits the numbers.
create table counterfoil.proofs (
    -- The first job that brought this proof to this order.
    job_id bigint primary key,
    order_id text collate "C" not null constraint proof_names_a_known_order references counterfoil.orders (order_id),
    -- The order's.
    account_id text collate "C" not null,
    transaction_id text collate "C",
    proof text not null,
    -- SHA-256.
    proof_hash bytea not null constraint proof_hash_has_32_bytes check (octet_length(proof_hash) = 32),
    -- Of its last verdict. If the order rests on the proof, of that verdict.
    reason text not null,
    -- Whether its last attempt had a verdict. A proof without one isn't dropped for others.
    is_judged boolean not null default true,
    -- It put its order into review, or showed the order's refund. It isn't dropped for others while the order is there, and is kept
    -- as long as the order is in review.
    decides_order boolean not null default false,
    -- When it was shown last.
    kept_at timestamptz not null default now()
) with (toast.autovacuum_vacuum_scale_factor = 0.05, toast.autovacuum_vacuum_cost_delay = 0);
comment on table counterfoil.proofs is 'The proof of a rejected, reviewed or refunded order, kept to be judged again.';
-- As in jobs.
alter table counterfoil.proofs alter column proof set storage external;
-- As in jobs: an order keeps few proofs, and so does an account in a day.
alter table counterfoil.proofs alter column order_id set (n_distinct = -0.5);
alter table counterfoil.proofs alter column account_id set (n_distinct = -0.5);

-- The kept proofs of an order, each content once. Guards and serves keep_proofs, cancel_job. Serves requeue_proofs, count_proofs.
create unique index an_order_keeps_a_proof_once on counterfoil.proofs (order_id, proof_hash);
-- The kept proofs of an account in a day. Serves keep_proofs.
create index proofs_by_account on counterfoil.proofs (account_id, kept_at);
-- The oldest proofs. Serves prune_proofs.
create index proofs_by_age on counterfoil.proofs (kept_at);

-- Update is for locking ("for update") before a proof is pruned, and for a proof that is shown again.
grant select, insert, update, delete on counterfoil.proofs to counterfoil_worker, counterfoil_support;
