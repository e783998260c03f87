// SPDX-License-Identifier: Apache-2.0

import Schema

/// Migrations that only tests apply, after the program's own: one of each kind that a later version may bring.
extension Migration {
    /// Changes the schema in a way that this program can't work with.
    static let breaking = Migration(
        SQLFile(
            "9001_breaking",
            """
            -- breaking

            set local role counterfoil_owner;

            alter table counterfoil.jobs add column weight integer not null default 1;
            """
        )
    )

    /// Locks one table, then another.
    static let ofTwoTables = Migration(
        SQLFile(
            "9001_two_tables",
            """
            set local role counterfoil_owner;

            alter table counterfoil.orders add column weight integer;
            alter table counterfoil.jobs add column weight integer;
            """
        )
    )

    /// Changes the schema in a way that this program doesn't notice.
    static let compatible = Migration(
        SQLFile(
            "9001_compatible",
            """
            set local role counterfoil_owner;

            alter table counterfoil.jobs add column weight integer;
            """
        )
    )

    /// Makes an index on a table that is written to all the time, and drops the one that it replaces.
    static let concurrent = Migration(
        SQLFile(
            "9001_concurrent",
            """
            -- concurrently

            -- An interruption leaves an index that isn't valid.
            drop index concurrently if exists counterfoil.jobs_by_account;
            create index concurrently jobs_by_account on counterfoil.jobs (account_id);

            drop index concurrently if exists counterfoil.jobs_by_order;
            """
        )
    )

    /// Replaces a column that a function reads. The function depends on it, as a view does, and is emptied first. The migrator puts
    /// it right in the same database transaction.
    static let emptyingFunctions = Migration(
        SQLFile(
            "9001_emptying_functions",
            """
            set local role counterfoil_owner;

            create or replace function counterfoil.orders_for_payment(
                of_bundle text, of_product text, of_kind text, of_quantity integer, of_token uuid, paid_at timestamptz,
                by_account text, shown_for text, shown_order_made_at timestamptz
            )
            returns table (order_id text, rank integer, why text)
            language sql stable
            begin atomic
                select null::text, null::integer, null::text where false;
            end;

            alter table counterfoil.apps drop column own_order_window;
            alter table counterfoil.apps add column own_order_window interval not null default '1 hour'
                constraint own_order_window_is_not_negative check (own_order_window >= interval '0');
            """
        )
    )

    /// Empties the views of a table, which it then may change. The migrator puts the views right in the same database
    /// transaction.
    static let emptyingViews = Migration(
        SQLFile(
            "9001_emptying_views",
            """
            set local role counterfoil_owner;

            do $$
            declare
                name text;
                columns text;
            begin
                foreach name in array array['overview', 'latency', 'latency_by_hour', 'latency_buckets'] loop
                    select string_agg(
                        format(
                            'null::%s%s as %I', format_type(a.atttypid, a.atttypmod),
                            case when a.attcollation <> 0 then ' collate ' || a.attcollation::regcollation::text else '' end,
                            a.attname
                        ),
                        ', ' order by a.attnum
                    )
                    into columns
                    from pg_attribute a
                    where a.attrelid = to_regclass('counterfoil.' || name) and a.attnum > 0;
                    execute format('create or replace view counterfoil.%I as select %s where false', name, columns);
                end loop;
            end
            $$;

            create table counterfoil.kept_minutes as select * from counterfoil.latency_minutes;
            drop table counterfoil.latency_minutes;
            create table counterfoil.latency_minutes (like counterfoil.latency_hours including all);
            alter table counterfoil.latency_minutes rename column hour to minute;
            insert into counterfoil.latency_minutes select * from counterfoil.kept_minutes;
            drop table counterfoil.kept_minutes;
            """
        )
    )
}
