-- The changes that weren't told before the cursor, in the order of their numbers, each with the cursor to go on with after it. A
-- backend keeps the cursor of the last row; no row means that nothing is new, and the cursor stays.
--
-- A change may be committed long after one with a higher number. So a cursor is no number but a snapshot: which database
-- transactions its reader saw. Its parts, between slashes:
--
-- - the server, the database, the table and the timeline (open_feed);
-- - the snapshot of the last whole read;
-- - between the pages of a read: the snapshot of this read, and the number of the last change. A page may end within a row;
-- - a time before which everything was told, for changes_from_cursor; then a later time, and a transaction number, by commas: once
--   all transactions below that number are over for a read, everything was told that was written before that later time
--   (told_after).
--
-- The number is the server's next one at that time, which a snapshot's xmax isn't: the newest transactions may have higher numbers.
--
-- A change of an account that was forgotten keeps its place as the kind forgotten, without account and details: a kind that readers
-- don't know, and pass over.
--
-- A read is what its snapshot sees and the one before doesn't. The first page finds that by transaction, the others by number. A
-- later change of an order has the higher number, and no snapshot sees it without the earlier one: both had the lock of the order's
-- row.
--
-- Idioms: generic plan, array of ids, lateral look-up, offset 0.

create or replace function counterfoil.changes_since(cursor text, at_most integer default 1000)
returns table (
    id bigint, at timestamptz, kind text, order_id text, order_version integer, account_id text, bundle_id text, product_id text,
    quantity integer, environment text, transaction_id text, reason text, refunded_share numeric, next_cursor text,
    original_transaction_id text, product_kind text, purchased_at timestamptz, expires_at timestamptz, app_account_token uuid,
    details jsonb
)
language plpgsql security definer set search_path = pg_catalog, pg_temp
set enable_seqscan = off set enable_bitmapscan = off set enable_hashjoin = off set enable_mergejoin = off
set plan_cache_mode = force_generic_plan set jit = off
as $$
#variable_conflict use_column
declare
    most_at_once constant integer := 10000;
    -- The one of changes_from, which sees nothing.
    nothing constant text := '1:1:';
    server constant text := counterfoil.open_feed();
    part constant text[] := string_to_array(changes_since.cursor, '/');
    before pg_snapshot;
    seen pg_snapshot;
    last_id bigint;
    told text;
    next_told text;
begin
    if (changes_since.at_most between 1 and most_at_once) is not true then
        perform counterfoil.refuse('page_has_1_to_10000_changes');
    end if;
    if part[1] = server
        and changes_since.cursor ~ '^[^/]+/[0-9]+:[0-9]+:[0-9,]*/(//|[0-9]+:[0-9]+:[0-9,]*/[0-9]+/)-?[0-9]*,[0-9]*,[0-9]*[.]$'
    then
        begin
            before := part[2];
            seen := nullif(part[3], '');
            last_id := nullif(part[4], '');
            told := rtrim(part[5], '.');
        exception when data_exception then
            before := null;
        end;
    end if;
    -- A snapshot of the future is of a server that has lost what it saw.
    if before is null or pg_snapshot_xmax(coalesce(seen, before)) > pg_snapshot_xmax(pg_current_snapshot()) then
        perform counterfoil.refuse('cursor_unknown');
    end if;

    for try in 1..2 loop
        -- Before the changes are read: what they show is then at least as new.
        seen := coalesce(seen, counterfoil.read_snapshot());
        next_told := counterfoil.told_after(told, seen);

        return query
        with page as materialized (
            select d.*, row_number() over (order by d.number) as place, count(*) over () as found
            from (
                select e.*
                from (
                    (
                        select
                            c.id * 1000 + coalesce(r.place - 1, 0) as number, r.number as order_number,
                            r.version as order_version, c.*
                        from counterfoil.changes c
                        left join lateral unnest(c.orders, c.versions) with ordinality as r (number, version, place) on true
                        where last_id is not null and c.id >= last_id / 1000
                            and c.id * 1000 + coalesce(r.place - 1, 0) > last_id
                            and pg_visible_in_snapshot(c.xid, seen) and not pg_visible_in_snapshot(c.xid, before)
                        order by c.id, r.place
                        limit changes_since.at_most + 1
                    )
                    -- Two look-ups: with "or" they would be a scan.
                    union all
                    select c.id * 1000 + coalesce(r.place - 1, 0), r.number, r.version, c.*
                    from counterfoil.changes c
                    left join lateral unnest(c.orders, c.versions) with ordinality as r (number, version, place) on true
                    where last_id is null and c.xid >= pg_snapshot_xmax(before) and c.xid < pg_snapshot_xmax(seen)
                        and pg_visible_in_snapshot(c.xid, seen)
                    union all
                    select c.id * 1000 + coalesce(r.place - 1, 0), r.number, r.version, c.*
                    from counterfoil.changes c
                    left join lateral unnest(c.orders, c.versions) with ordinality as r (number, version, place) on true
                    where last_id is null and c.xid = any (array(select pg_snapshot_xip(before)))
                        and pg_visible_in_snapshot(c.xid, seen)
                ) e
                order by e.number
                -- One more tells whether this page is the last.
                limit changes_since.at_most + 1
            ) d
        )
        select
            p.number, p.at, case when h.is_forgotten then 'forgotten' else p.kind end, coalesce(o.order_id, u.order_id), p.order_version,
            case when h.is_forgotten is not true then a.account_id end,
            coalesce(p.bundle_id, o.bundle_id), coalesce(o.product_id, u.product_id),
            coalesce(g.quantity, o.quantity, u.quantity), coalesce(p.environment, g.environment),
            coalesce(p.transaction_id, g.transaction_id), p.reason,
            trim_scale(p.share / 1000.0),
            case
                when p.place = p.found then concat(server, '/', seen, '///', next_told, '.')
                else concat(server, '/', before, '/', seen, '/', p.number, '/', told, '.')
            end,
            coalesce(g.original_transaction_id, u.original_transaction_id), coalesce(g.product_kind, u.product_kind),
            coalesce(g.purchased_at, u.purchased_at), coalesce(g.expires_at, u.expires_at),
            coalesce(g.app_account_token, u.app_account_token), case when h.is_forgotten is not true then p.details end
        from page p
        left join lateral (
            select x.order_id, n.account_id, x.bundle_id, x.product_id, x.quantity
            from counterfoil.orders x
            cross join lateral counterfoil.account_now(x.account_id, x.number) n
            where x.number = p.order_number
            offset 0
        ) o on true
        -- Whose it is now. A move is told to both accounts.
        left join lateral (
            select case when p.kind in ('account_moved', 'order_transferred', 'account_forgotten') then p.details ->> 'account_id' else n.account_id end
                as account_id
            from counterfoil.account_now(p.details ->> 'account_id') n
        ) w on true
        left join lateral (
            select
                x.quantity, x.environment, x.transaction_id, x.original_transaction_id, x.product_kind, x.purchased_at,
                x.expires_at, x.app_account_token
            from counterfoil.payments x
            where x.order_number = p.order_number
            offset 0
        ) g on true
        left join lateral (
            select
                (
                    select s.order_id from counterfoil.orders s
                    where s.number = coalesce(x.shown_by_number, x.order_number)
                ) as order_id,
                n.account_id, x.product_id, x.quantity, x.original_transaction_id, x.product_kind, x.purchased_at,
                x.expires_at, x.app_account_token
            from counterfoil.payments x
            cross join lateral counterfoil.account_now(x.account_id, x.order_number) n
            where p.order_number is null and x.transaction_id = p.transaction_id and x.bundle_id = p.bundle_id
                and x.environment = p.environment
            offset 0
        ) u on true
        cross join lateral (select coalesce(o.account_id, w.account_id, u.account_id) as account_id) a
        -- Nothing is delivered to who was forgotten, also where a reader begins anew.
        cross join lateral (
            select
                a.account_id like 'forgotten-%' and p.kind <> 'account_forgotten' and counterfoil.is_forgotten(a.account_id) is true
                as is_forgotten
            offset 0
        ) h
        where p.place <= changes_since.at_most
        order by p.place;

        exit when found or last_id is null;
        -- The pages of that read are over: the next read.
        before := seen;
        seen := null;
        last_id := null;
        told := next_told;
    end loop;

    -- After the changes were read, and their partitions locked: nobody drops one now. Who began anew is told what is left.
    if before::text <> nothing and pg_snapshot_xmin(before) <= (select f.dropped_xid from counterfoil.feed f) then
        perform counterfoil.refuse('cursor_unknown');
    end if;
    if current_setting('transaction_isolation') <> 'read committed' and exists (
        select from pg_inherits i where i.inhparent = 'counterfoil.changes'::regclass and pg_relation_size(i.inhrelid) is null
    ) then
        raise exception 'changes were dropped since this database transaction began' using errcode = 'serialization_failure';
    end if;
end
$$;
comment on function counterfoil.changes_since(text, integer) is
    'The feed: the changes after a cursor, in order, each with the next cursor; the first cursor is of changes_from.';

grant execute on function counterfoil.changes_since(text, integer)
    to counterfoil_backend, counterfoil_support, counterfoil_reader;
