-- History: one row a finished attempt, a partition a month.

set local role counterfoil_owner;

create table counterfoil.attempts (
    job_id bigint not null,
    order_id text collate "C" not null,
    -- Re-sending a settlement is safe: the token tells attempts apart.
    lease_token bigint not null,
    attempt integer not null,
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
comment on table counterfoil.attempts is 'One finished attempt. Append-only; partitioned by month.';
-- Serves show_attempts.sql: an order's story.
create index attempts_by_order on counterfoil.attempts (order_id);

-- Settlement never fails for want of a partition.
create table counterfoil.attempts_default partition of counterfoil.attempts default;

grant select, insert on counterfoil.attempts to counterfoil_worker;
