-- What a run keeps of a shop's deliveries, and the harm that its function is to do. A script, by the shop's role.
create table shop.calls (
    n bigint generated always as identity,
    id bigint not null,
    order_id text,
    changed_at timestamptz not null,
    called_at timestamptz not null default clock_timestamp()
);
create index on shop.calls (id);
-- 'raises' or 'sleeps', while a fault lasts.
create table shop.harm (kind text not null);
create table shop.late (
    account_id text references shop.balances (account_id) deferrable initially deferred
);
