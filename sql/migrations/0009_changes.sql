-- The feed: what happened to orders and payments, for a backend whose goods live in another database (changes_since).

-- repeated

-- A cursor names its server. A server may keep this function from all but its superusers.
do $$
begin
    if not has_function_privilege('counterfoil_owner', 'pg_catalog.pg_control_system()', 'execute') then
        grant execute on function pg_catalog.pg_control_system() to counterfoil_owner;
    end if;
exception when insufficient_privilege then
    raise warning 'pg_control_system could not be granted to counterfoil_owner: the feed can''t be read';
end
$$;

-- once

set local role counterfoil_owner;

-- How many changes of the order the feed was told, whichever of them it keeps (tell_order).
alter table counterfoil.orders add column version integer not null default 0;
grant update (version) on counterfoil.orders to counterfoil_worker, counterfoil_support;

-- Numbers of rows of changes, within an epoch (next_change_id). A row is numbered when its orders' rows are locked, by every
-- writer, and no session keeps numbers for later: so the changes of an order are numbered in their order.
create sequence counterfoil.change_ids;

-- A row a statement that moves orders, or tells of a payment; a partition a month (make_change_partitions, drop_old_changes).
-- Statements that grant write it, and triggers for all others, in the settlement's own database transaction, so that no program
-- settles without it; a trigger keeps it append-only. It is private: changes_since reads it.
--
-- What never changes of an order or a granted payment isn't written again: changes_since looks it up.
create table counterfoil.changes (
    -- By next_change_id, which is its default. A change's number is a thousand times this, and its place among the orders, from 0.
    id bigint not null,
    -- Tells whether a reader's snapshot saw it.
    xid xid8 not null default pg_current_xact_id(),
    -- When it was numbered; not when its database transaction began, which may be long before.
    at timestamptz not null default clock_timestamp(),
    kind text not null,
    -- The numbers of the orders that became this, each with its version then. Null where the change is a payment's. The other
    -- columns hold for all of them.
    orders bigint[],
    versions integer[],
    -- The payment that it is about. Null where it is the one that the order was granted.
    transaction_id text collate "C",
    environment text,
    -- Null where the order tells.
    bundle_id text collate "C",
    reason text,
    -- What is refunded now, in thousandths of a percent. Null: nothing, or Apple leaves open how much.
    share integer,
    constraint a_row_of_changes_has_1_to_100_orders
        check (cardinality(orders) between 1 and 100 and cardinality(versions) = cardinality(orders))
) partition by range (at);
-- In the row, uncompressed up to its limit: a page of the feed reads all of them.
alter table counterfoil.changes alter column orders set storage main, alter column versions set storage main;
alter sequence counterfoil.change_ids owned by counterfoil.changes.id;
comment on table counterfoil.changes is
    'Private: the feed, a row for the orders that a statement moved, or for a payment. Append-only; partitioned by month.';

-- The pages of a read, but for the first. Serves changes_since, changes_from.
create index changes_by_id on counterfoil.changes (id);
-- What a reader's last snapshot didn't see. Serves changes_since, drop_old_changes.
create index changes_by_xid on counterfoil.changes (xid);

-- A settlement never fails for want of a partition.
create table counterfoil.changes_default partition of counterfoil.changes default;

-- For checks/orders_untold.
grant select on counterfoil.changes to counterfoil_worker, counterfoil_support;
-- What grants tell: never a number, a transaction number or a time.
grant insert (kind, orders, versions) on counterfoil.changes to counterfoil_worker, counterfoil_support;

-- Nobody but the owner writes it: a setting could be set by anybody.
create table counterfoil.imports (
    database_transaction xid8 primary key
);
comment on table counterfoil.imports is
    'The database transactions that import grants now: of these the feed isn''t told. A row lasts as long as its import.';

create table counterfoil.feed (
    one_row boolean primary key default true constraint there_is_one_feed check (one_row),
    -- Whose transaction numbers the changes bear (feed_server). Another one after a restore: then nothing is read until a
    -- migration.
    server text not null,
    -- The highest transaction number of what was dropped. A cursor that may have missed it is unknown.
    dropped_xid xid8 not null default '0',
    -- The highest number of a row that was dropped, for adopt_changes.
    dropped_id bigint not null default 0,
    -- Added to the server's timeline, it is the epoch of new numbers (with_epoch).
    epoch_offset integer not null default 0
);
comment on table counterfoil.feed is 'Which server the changes are of, and how far they were dropped.';
-- The migrator names the server (adopt_changes).
insert into counterfoil.feed (server) values ('');
