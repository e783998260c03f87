-- The state of a reader that delivers: its cursor, the pages that it read, and the changes that wait. A script.
create table {state} (
    one_row boolean primary key default true check (one_row),
    cursor text not null,
    -- All changes that bear an earlier time were told: where a reader begins whose cursor is unknown.
    safe_at timestamptz not null,
    -- Changes that failed in a row.
    failures integer not null default 0,
    delivered bigint not null default 0
) with (fillfactor = 50);
comment on table {state} is 'Made by counterfoil deliver: how far the feed was read.';

create table {pages} (
    read_at timestamptz not null,
    next_xid xid8 not null,
    last_at timestamptz not null,
    ids bigint[] not null
);
comment on table {pages} is 'Made by counterfoil deliver: the pages that were read lately.';
create index on {pages} (read_at);

create table {waiting} (
    id bigint primary key,
    -- The order, or the payment where there is none.
    key text not null,
    change jsonb not null,
    tries integer not null default 0,
    -- Of the earliest of an order; infinity for those behind it. Null once it is skipped.
    next_at timestamptz,
    error text,
    since timestamptz not null default clock_timestamp(),
    skipped_at timestamptz,
    skipped_by text,
    skipped_why text,
    check ((next_at is null) = (skipped_at is not null)),
    check ((skipped_at is null) = (skipped_by is null) and (skipped_at is null) = (skipped_why is null))
);
comment on table {waiting} is 'Made by counterfoil deliver: changes whose delivery failed, and later ones of their orders.';
create index on {waiting} (key, id) where next_at is not null;
create index on {waiting} (next_at) where next_at is not null;
