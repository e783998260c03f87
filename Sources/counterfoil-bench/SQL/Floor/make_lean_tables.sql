-- The leanest ledger that keeps the promise for consumables: one row a grant, its unique key, and nothing that refuses or explains.
-- A yardstick for what the real one costs.
create schema if not exists lean;
create table if not exists lean.orders (
    order_id bigint primary key,
    state smallint not null default 0,
    account_id bigint not null default 1,
    product_id text not null default 'com.example.coins.100',
    fulfilled_at timestamptz
) with (fillfactor = 90);
create table if not exists lean.grants (
    environment smallint not null,
    transaction_id text collate "C" not null,
    order_id bigint not null,
    job_id bigint not null,
    granted_at timestamptz not null default now(),
    primary key (environment, transaction_id)
);
create table if not exists lean.jobs (
    id bigint generated always as identity (cache 1000) primary key,
    lane smallint not null default 0,
    priority smallint not null default 0,
    state smallint not null default 0,
    attempt smallint not null default 0,
    run_at timestamptz not null default now(),
    lease_expires_at timestamptz,
    worker_id integer,
    order_id bigint not null,
    created_at timestamptz not null default now()
);
create index if not exists lean_jobs_available on lean.jobs (lane, priority, run_at, id) where state = 0;
create table if not exists lean.attempts (
    job_id bigint not null,
    order_id bigint not null,
    attempt smallint not null,
    outcome smallint not null,
    created_at timestamptz not null,
    finished_at timestamptz not null
);
grant usage on schema lean to counterfoil_worker;
grant select, insert, update, delete on all tables in schema lean to counterfoil_worker;
