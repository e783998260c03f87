-- How much the past takes: orders, attempts, counts and bytes. Nearly each payment has an attempt in its row.
select
    (select reltuples::bigint from pg_class where oid = 'counterfoil.orders'::regclass),
    (
        select sum(c.reltuples)::bigint from pg_class c
        where c.oid = 'counterfoil.payments'::regclass
            or c.oid in (select i.inhrelid from pg_inherits i where i.inhparent = 'counterfoil.other_attempts'::regclass)
    ),
    (select count(*) from counterfoil.attempt_minutes), pg_database_size(current_database())
