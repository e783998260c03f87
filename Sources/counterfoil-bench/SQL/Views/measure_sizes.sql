-- How much the past takes: orders, attempts, counts and bytes.
select
    (select reltuples::bigint from pg_class where oid = 'counterfoil.orders'::regclass),
    (
        select sum(c.reltuples)::bigint from pg_inherits i join pg_class c on c.oid = i.inhrelid
        where i.inhparent = 'counterfoil.other_attempts'::regclass
    ),
    (select count(*) from counterfoil.attempt_minutes), pg_database_size(current_database())
